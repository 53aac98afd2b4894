import type { Range } from './flatten-ranges.js';

const NEWLINE = 10;

/** Ranges of a CSV file `first,last,asn,name` with addresses as decimal numbers; the value of a range is the ASN. */
export interface AsnRanges<N extends number | bigint> {
  ranges: Range<N, number>[];
  /** Lines that are no range: wrong numbers, or an end before the start. */
  badLines: number;
}

/**
 * Reads `asn-ipv4-num.csv` or `asn-ipv6-num.csv`; `toNumber` makes a number of decimal digits. Names go into `names`, the
 * first of an ASN counts. No general CSV reader: half a million lines have to be ready in a second, and their form is fixed.
 */
export function readAsnCsv<N extends number | bigint>(
  bytes: Buffer,
  toNumber: (digits: string) => N,
  highest: N,
  names: Map<number, string>,
): AsnRanges<N> {
  const ranges: Range<N, number>[] = [];
  let badLines = 0;
  for (let from = 0; from < bytes.length;) {
    let to = bytes.indexOf(NEWLINE, from);
    if (to < 0) to = bytes.length;
    const line = bytes.toString('utf8', from, to).trim();
    from = to + 1;
    if (line === '') continue;
    const match = /^(\d{1,39}),(\d{1,39}),(\d{1,10}),(.*)$/.exec(line);
    const [, first = '', last = '', asnText = '', name = ''] = match ?? [];
    const [start, end, asn] = [toNumber(first), toNumber(last), Number(asnText)];
    if (match === null || start > end || end > highest || asn > 0xffffffff) {
      badLines++;
      continue;
    }
    // Zero stands for address space without an operator.
    if (asn === 0) continue;
    ranges.push({ start, end, value: asn });
    if (!names.has(asn)) names.set(asn, unquoted(name));
  }
  return { ranges, badLines };
}

function unquoted(cell: string): string {
  return cell.startsWith('"') && cell.endsWith('"') && cell.length > 1 ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}
