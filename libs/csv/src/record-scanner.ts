import { InputFileError } from './csv-error.js';

/** A record may have this many bytes, quotes included, line end not. */
export const MAX_RECORD_BYTES = 65_536;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

type State = 'field-start' | 'unquoted' | 'quoted' | 'quote-in-quoted';

/** Which record is read, for the error. */
export interface RecordPlace {
  line: number;
  /** Physical line on which the record begins. */
  fileLine: number;
}

/** Where a record ends. */
export interface RecordEnd {
  /** Index behind the line end. */
  end: number;
  /** Physical line on which the next record begins. */
  nextFileLine: number;
}

/**
 * Reads one record byte by byte by the rules of RFC 4180.
 * @param endsField 1 for every byte that separates fields
 * @param limit end of the bytes that have arrived
 * @param final no more bytes will arrive
 * @returns undefined when the record may go on behind `limit`
 * @throws InputFileError `malformed_csv` at the first byte that breaks a rule
 */
export function scanRecord(
  bytes: Buffer,
  start: number,
  limit: number,
  final: boolean,
  endsField: Uint8Array,
  place: RecordPlace,
): RecordEnd | undefined {
  let state: State = 'field-start';
  let fileLine = place.fileLine;
  let quoteLine = fileLine;
  for (let at = start; at < limit; at++) {
    const byte = bytes[at] ?? 0;
    if (state !== 'quoted') {
      if (byte === LF) return { end: at + 1, nextFileLine: fileLine + 1 };
      if (byte === CR) {
        if (at + 1 === limit && !final) return undefined;
        if (at + 1 < limit && bytes[at + 1] === LF) return { end: at + 2, nextFileLine: fileLine + 1 };
        throw malformed('A carriage return stands without a line feed', place, fileLine);
      }
    }
    if (at - start >= MAX_RECORD_BYTES) throw tooLong(place, state === 'quoted' ? quoteLine : undefined);
    switch (state) {
      case 'quoted':
        if (byte === QUOTE) state = 'quote-in-quoted';
        else if (byte === LF) fileLine++;
        break;
      case 'quote-in-quoted':
        if (byte === QUOTE) state = 'quoted';
        else if (endsField[byte] === 1) state = 'field-start';
        else throw malformed('Text follows a closing quote', place, fileLine);
        break;
      case 'field-start':
      case 'unquoted':
        if (byte !== QUOTE) state = endsField[byte] === 1 ? 'field-start' : 'unquoted';
        else if (state === 'unquoted')
          throw malformed('A quote stands inside a field that is not quoted', place, fileLine);
        else {
          state = 'quoted';
          quoteLine = fileLine;
        }
    }
  }
  if (!final) return undefined;
  if (state === 'quoted') throw malformed('A quote is opened and never closed', place, quoteLine);
  return { end: limit, nextFileLine: fileLine + 1 };
}

function malformed(what: string, place: RecordPlace, fileLine: number): InputFileError {
  const begin = fileLine === place.fileLine ? '' : `, which begins on line ${place.fileLine}`;
  const message = `${what}: line ${fileLine} of the file, record ${place.line}${begin}.`;
  return new InputFileError('malformed_csv', message, { line: place.line, fileLine });
}

function tooLong(place: RecordPlace, quoteLine: number | undefined): InputFileError {
  const hint = quoteLine === undefined ? '' : `; the quote opened on line ${quoteLine} may never be closed`;
  const message = `Record ${place.line} on line ${place.fileLine} is longer than ${MAX_RECORD_BYTES} bytes${hint}.`;
  return new InputFileError('malformed_csv', message, { line: place.line, fileLine: quoteLine ?? place.fileLine });
}
