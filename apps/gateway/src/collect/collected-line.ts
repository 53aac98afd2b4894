import { isUtf8 } from 'node:buffer';
import { COLLECT_MAX_LINE_BYTES } from '#contracts/collect/collect-report.js';

const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The JSON object of a line, or why there is none: a sentence. */
export type ParsedLine = { value: object } | { fault: string };

/**
 * Parses one line. Bytes that are no UTF-8 are a fault of their line and no `invalid_encoding` of the body, so that a
 * bad line does not stop the others.
 *
 * @param bytes without white space around it; undefined for a line that was too long to keep
 */
export function parseLine(bytes: Buffer | undefined): ParsedLine {
  if (bytes === undefined) return { fault: `The line has more than ${COLLECT_MAX_LINE_BYTES} bytes.` };
  // Looked at first, since a failing parse costs twenty times as much as this.
  if (bytes[0] !== OPENING || bytes[bytes.length - 1] !== CLOSING) return { fault: 'The line is no JSON object.' };
  if (!isUtf8(bytes)) return { fault: 'The line is not valid UTF-8.' };
  try {
    return { value: JSON.parse(bytes.toString()) as object };
  } catch {
    return { fault: 'The line is not valid JSON.' };
  }
}
