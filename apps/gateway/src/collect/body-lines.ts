import { COLLECT_MAX_LINE_BYTES } from '#contracts/collect/collect-report.js';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

export interface BodyLine {
  /** Physical, the first is 1. */
  line: number;
  /** Without white space around it, never empty; mostly a view of the chunk. Undefined: too long. */
  bytes: Buffer | undefined;
}

/** Cuts a body into its lines, LF or CRLF. Empty ones are passed over but counted. Memory does not grow with the body. */
export class BodyLines {
  private line = 0;
  /** The line whose end has not come yet. */
  private begun: Buffer[] = [];
  private begunBytes = 0;

  *cut(chunk: Buffer): Generator<BodyLine> {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const isEmpty = end === from && this.begunBytes === 0;
      if (!isEmpty) this.begin(chunk.subarray(from, end));
      from = end + 1;
      // A body of line ends alone has eight million of them.
      if (isEmpty) {
        this.line++;
        continue;
      }
      const line = this.finish();
      if (line !== undefined) yield line;
    }
    // A copy, so that a few bytes do not keep their chunk alive.
    if (from < chunk.length) this.begin(Buffer.from(chunk.subarray(from)));
  }

  /** The last line, when no LF ends it. */
  *end(): Generator<BodyLine> {
    const line = this.finish();
    if (line !== undefined) yield line;
  }

  private begin(part: Buffer): void {
    this.begunBytes += part.length;
    if (this.begunBytes <= COLLECT_MAX_LINE_BYTES) this.begun.push(part);
    else this.begun = [];
  }

  private finish(): BodyLine | undefined {
    const [first] = this.begun;
    const whole = this.begun.length === 1 && first !== undefined ? first : Buffer.concat(this.begun);
    const isTooLong = this.begunBytes > COLLECT_MAX_LINE_BYTES;
    this.begun = [];
    this.begunBytes = 0;
    this.line++;
    if (isTooLong) return { line: this.line, bytes: undefined };
    const bytes = trimmed(this.line === 1 ? withoutBom(whole) : whole);
    return bytes.length === 0 ? undefined : { line: this.line, bytes };
  }
}

function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes;
}

/** Without what JSON takes for white space. */
function trimmed(bytes: Buffer): Buffer {
  let from = 0;
  let to = bytes.length;
  while (from < to && isSpace(bytes[from])) from++;
  while (from < to && isSpace(bytes[to - 1])) to--;
  return bytes.subarray(from, to);
}

function isSpace(byte: number | undefined): boolean {
  return byte === CR || byte === SPACE || byte === TAB;
}
