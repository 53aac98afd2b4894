import { isUtf8 } from 'node:buffer';

export type EncodingFault = 'utf-16' | 'not-utf-8' | 'nul';

/** How far bytes are good text, and what is wrong with the byte after that, if anything is. */
export interface CheckedText {
  /** Index behind the last complete good character. Without a fault, at most three bytes follow that are not yet a character. */
  validTo: number;
  fault?: EncodingFault;
}

/**
 * Checks that `bytes[from, to)` is UTF-8 without NUL. `from` must be the border of a character.
 * A character cut by the end is no fault unless `final`. `atStart`: `from` is the first byte of the file, where a UTF-16
 * byte-order mark is named as such. The answer does not depend on how the file was cut into chunks.
 */
export function checkUtf8(bytes: Buffer, from: number, to: number, final: boolean, atStart: boolean): CheckedText {
  const complete = completeEnd(bytes, from, to);
  const nul = bytes.subarray(0, complete).indexOf(0, from);
  if (!isUtf8(bytes.subarray(from, complete))) {
    const broken = firstBroken(bytes, from, complete);
    if (nul !== -1 && nul < broken) return { validTo: nul, fault: 'nul' };
    const first = bytes[from];
    const isUtf16 = atStart && broken === from && (first === 0xff || first === 0xfe);
    return { validTo: broken, fault: isUtf16 ? 'utf-16' : 'not-utf-8' };
  }
  if (nul !== -1) return { validTo: nul, fault: 'nul' };
  if (final && complete < to) return { validTo: complete, fault: 'not-utf-8' };
  return { validTo: complete };
}

/** A sentence for the sender. `where` is put behind it, for example ` (line 7)`. */
export function encodingFaultText(fault: EncodingFault, where: string): string {
  switch (fault) {
    case 'utf-16':
      return 'The file is UTF-16; save it as UTF-8.';
    case 'not-utf-8':
      return `The file is not valid UTF-8${where}; save it as UTF-8.`;
    case 'nul':
      return `The file contains a NUL character${where}; it is not a UTF-8 text file.`;
  }
}

/** The end of `[from, to)` without a last character whose bytes have not all arrived. */
function completeEnd(bytes: Buffer, from: number, to: number): number {
  for (let at = to - 1; at >= from && at >= to - 3; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return to;
    if (byte < 0xc0) continue;
    return at + sequenceLength(byte) > to ? at : to;
  }
  return to;
}

/** Bytes of the character that this lead byte begins; 1 for a byte that begins none. */
function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Start of the first character that is no UTF-8. Halving is enough: a prefix of good text is good. */
function firstBroken(bytes: Buffer, from: number, to: number): number {
  let good = from;
  let bad = to;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(from, completeEnd(bytes, from, middle)))) good = middle;
    else bad = middle;
  }
  return completeEnd(bytes, from, good);
}
