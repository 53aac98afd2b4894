import { InputFileError } from './csv-error.js';
import { MAX_RECORD_BYTES, type RecordEnd, scanRecord } from './record-scanner.js';
import { FIELD_SEPARATORS, type FieldSeparator, recogniseSeparator } from './separator.js';
import { checkUtf8, type EncodingFault, encodingFaultText } from './utf8.js';

/** At most this much of a chunk is taken at a time. */
const PIECE_BYTES = 65_536;
/** Tiny chunks are gathered up to this: scanning a long open record again for every byte would be quadratic. */
const WORTH_SCANNING_BYTES = 16_384;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const HASH = 0x23;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Complete records, each with its line end; comments and empty lines are taken out. */
export interface GuardedRecords {
  /** A view of the guard's own buffer, which may be written to: use it up before the next `fill`. */
  bytes: Buffer;
  /** For each record the physical line on which it begins; the first line of the file is 1. */
  fileLines: number[];
}

/**
 * Looks at the bytes of a CSV file before csv-parser does, because csv-parser reports none of what is refused here.
 * Drops the byte-order mark, comments and empty lines, recognises the separator, and refuses with an `InputFileError`
 * what is no UTF-8 or breaks RFC 4180. Hands out complete records only, so that no parser has to keep bytes.
 *
 * Use: `fill` until `isReady`, then `take(false)`; at the end of the file `take(true)`.
 * Neither records nor errors depend on how the file was cut into chunks.
 */
export class RecordGuard {
  /** Holds an open record (with `\r` and a cut character), one piece, and the line end that a file may lack. */
  private readonly buffer = Buffer.allocUnsafeSlow(MAX_RECORD_BYTES + PIECE_BYTES + 16);
  private filled = 0;
  private checked = 0;
  private fresh = 0;
  /** The first byte that is not handed out or dropped yet. */
  private next = 0;
  private isAtStart = true;
  private isInComment = false;
  private fileLine = 1;
  private records = 0;
  private separatorFound: FieldSeparator | undefined;
  private endsField = separatorTable(FIELD_SEPARATORS);

  /** The separator; undefined until the first record was taken. */
  get separator(): FieldSeparator | undefined {
    return this.separatorFound;
  }

  /** Enough has arrived for `take`. */
  get isReady(): boolean {
    return this.fresh >= WORTH_SCANNING_BYTES;
  }

  /** Copies `chunk` from index `from` on, as far as there is room, and returns the number of bytes. */
  fill(chunk: Buffer, from: number): number {
    if (this.next > 0) {
      this.buffer.copyWithin(0, this.next, this.filled);
      this.filled -= this.next;
      this.checked -= this.next;
      this.next = 0;
    }
    const copied = chunk.copy(this.buffer, this.filled, from, from + PIECE_BYTES - this.fresh);
    this.filled += copied;
    this.fresh += copied;
    return copied;
  }

  /**
   * Hands out the records that are complete by now, or with `final` all that are left.
   * @throws InputFileError at the first fault of the file
   */
  take(final: boolean): GuardedRecords {
    this.fresh = 0;
    const text = checkUtf8(this.buffer, this.checked, this.filled, final, this.isAtStart);
    this.checked = text.validTo;
    if (this.isAtStart && this.checked > 0) {
      this.isAtStart = false;
      if (this.buffer.subarray(0, this.checked).indexOf(BYTE_ORDER_MARK) === 0) this.next = BYTE_ORDER_MARK.length;
    }
    // A fault before the bad byte is met first, wherever the chunks were cut.
    const records = this.takeChecked(final && text.fault === undefined);
    if (text.fault !== undefined) throw this.encodingError(text.fault);
    return records;
  }

  private takeChecked(final: boolean): GuardedRecords {
    const { buffer } = this;
    const limit = this.checked;
    const text = buffer.subarray(0, limit);
    const fileLines: number[] = [];
    const begin = this.next;
    let keptEnd = begin;
    let keepFrom = begin;
    let at = begin;
    let quoteAt = -1;
    let crAt = -1;

    while (at < limit) {
      const dropEnd = this.endOfDropped(text, at);
      if (dropEnd > at) {
        if (keepFrom !== keptEnd) buffer.copyWithin(keptEnd, keepFrom, at);
        keptEnd += at - keepFrom;
        keepFrom = at = dropEnd;
        continue;
      }
      const lineEnd = text.indexOf(LF, at);
      if (quoteAt < at) quoteAt = indexOrEnd(text, QUOTE, at);
      if (crAt < at) crAt = indexOrEnd(text, CR, at);
      const isPlain = lineEnd !== -1 && quoteAt > lineEnd && crAt >= lineEnd - 1 && lineEnd - at <= MAX_RECORD_BYTES;
      if (isPlain && this.separatorFound !== undefined) {
        fileLines.push(this.fileLine++);
        this.records++;
        at = lineEnd + 1;
        continue;
      }
      const record = this.scan(at, limit, final);
      if (record === undefined) break;
      fileLines.push(this.fileLine);
      this.fileLine = record.nextFileLine;
      this.records++;
      at = record.end;
    }

    this.next = at;
    if (keepFrom !== keptEnd) buffer.copyWithin(keptEnd, keepFrom, at);
    keptEnd += at - keepFrom;
    if (final && keptEnd > begin && buffer[keptEnd - 1] !== LF) buffer[keptEnd++] = LF;
    return { bytes: buffer.subarray(begin, keptEnd), fileLines };
  }

  /** End of the comment or empty line at `at`, a record start; `at` itself when a record begins there. */
  private endOfDropped(text: Buffer, at: number): number {
    const first = text[at];
    if (this.isInComment || first === HASH) {
      const lineEnd = text.indexOf(LF, at);
      this.isInComment = lineEnd === -1;
      if (this.isInComment) return text.length;
      this.fileLine++;
      return lineEnd + 1;
    }
    if (first !== LF && (first !== CR || text[at + 1] !== LF)) return at;
    this.fileLine++;
    return first === LF ? at + 1 : at + 2;
  }

  private scan(at: number, limit: number, final: boolean): RecordEnd | undefined {
    const place = { line: this.records + 1, fileLine: this.fileLine };
    const record = scanRecord(this.buffer, at, limit, final, this.endsField, place);
    if (record === undefined || this.separatorFound !== undefined) return record;
    this.separatorFound = recogniseSeparator(this.buffer.subarray(at, record.end));
    this.endsField = separatorTable([this.separatorFound]);
    // Read as if every candidate were a separator, `"a";"b",c` looks right; now it is not.
    return scanRecord(this.buffer, at, limit, final, this.endsField, place);
  }

  private encodingError(fault: EncodingFault): InputFileError {
    let fileLine = this.fileLine;
    for (let at = this.next; at < this.checked; at++) if (this.buffer[at] === LF) fileLine++;
    return new InputFileError('invalid_encoding', encodingFaultText(fault, ` (line ${fileLine})`), { fileLine });
  }
}

function separatorTable(separators: readonly FieldSeparator[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const separator of separators) table[separator.charCodeAt(0)] = 1;
  return table;
}

function indexOrEnd(text: Buffer, byte: number, from: number): number {
  const at = text.indexOf(byte, from);
  return at === -1 ? text.length : at;
}
