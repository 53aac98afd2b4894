import { EXACT, type AsnColumns } from './asn-file.js';
import { readAsnCsv } from './asn-csv.js';
import { BIG_INTEGERS, flattenRanges, NUMBERS, type Range } from './flatten-ranges.js';

const HIGHEST_IPV6 = (1n << 128n) - 1n;
const WORD = 0xffffffffn;
const BUCKETS = 0x10000;
const LOWER_64 = (1n << 64n) - 1n;

/** Ranges of both families, and the names of the ASNs that are their values. */
export interface AsnSource {
  ipv4: readonly Range<number, number>[];
  ipv6: readonly Range<bigint, number>[];
  names: ReadonlyMap<number, string>;
}

/** Reads the contents of `asn-ipv4-num.csv` and `asn-ipv6-num.csv`; `badLines` counts those that are no ranges. */
export function readAsnCsvs(ipv4Csv: Buffer, ipv6Csv: Buffer): AsnSource & { badLines: number } {
  const names = new Map<number, string>();
  const v4 = readAsnCsv(ipv4Csv, Number, 0xffffffff, names);
  const v6 = readAsnCsv(ipv6Csv, BigInt, HIGHEST_IPV6, names);
  return { ipv4: v4.ranges, ipv6: v6.ranges, names, badLines: v4.badLines + v6.badLines };
}

/** Columns for the look-up. Takes about a second. */
export function compileAsn({ ipv4, ipv6, names }: AsnSource): AsnColumns {
  const asns = Uint32Array.from(names.keys()).sort();
  const places = new Map(Array.from(asns, (asn, place) => [asn, place]));
  const place = ({ value }: { value: number }): number => places.get(value) ?? EXACT;
  const v4Flat = flattenRanges(ipv4, NUMBERS);
  const addresses = new Uint32Array(asns.length);
  for (const range of v4Flat) {
    const at = place(range);
    addresses[at] = (addresses[at] ?? 0) + range.end - range.start + 1;
  }
  return {
    asns,
    addresses,
    ...nameColumns(asns, names),
    ...ipv4Columns(v4Flat, place),
    ...ipv6Columns(flattenRanges(ipv6, BIG_INTEGERS), place),
  };
}

type Place = (range: { value: number }) => number;

function nameColumns(asns: Uint32Array, names: ReadonlyMap<number, string>): Pick<AsnColumns, 'nameStarts' | 'names'> {
  const texts = Array.from(asns, (asn) => Buffer.from(names.get(asn) ?? ''));
  const nameStarts = new Uint32Array(asns.length + 1);
  texts.forEach((text, index) => (nameStarts[index + 1] = (nameStarts[index] ?? 0) + text.length));
  return { nameStarts, names: Buffer.concat(texts) };
}

function ipv4Columns(
  ranges: readonly Range<number, number>[],
  place: Place,
): Pick<AsnColumns, 'v4Buckets' | 'v4Ranges'> {
  const v4Buckets = bucketsOf(
    ranges.map(({ start }) => start),
    (bucket) => bucket * 0x10000,
  );
  return { v4Buckets, v4Ranges: Uint32Array.from(ranges.flatMap((range) => [range.start, range.end, place(range)])) };
}

/** How many of the rising starts lie below the beginning of each bucket. */
function bucketsOf<N extends number | bigint>(starts: readonly N[], beginning: (bucket: number) => N): Uint32Array {
  let index = 0;
  return Uint32Array.from({ length: BUCKETS + 1 }, (_, bucket) => {
    const limit = beginning(bucket);
    for (let start = starts[index]; start !== undefined && start < limit; start = starts[++index]);
    return index;
  });
}

/** Whole /64s by their upper halves; each /64 that ranges split gets one row EXACT, and its parts go to the exact list. */
function ipv6Columns(
  ranges: readonly Range<bigint, number>[],
  place: Place,
): Pick<AsnColumns, 'v6Buckets' | 'v6Ranges' | 'exactStarts' | 'exactEnds' | 'exactAsns'> {
  const halves: { start: bigint; end: bigint; asn: number }[] = [];
  const exact: { start: bigint; end: bigint; asn: number }[] = [];
  const addPart = (start: bigint, end: bigint, asn: number): void => {
    exact.push({ start, end, asn });
    const half = start >> 64n;
    if (halves.at(-1)?.end !== half) halves.push({ start: half, end: half, asn: EXACT });
  };
  for (const range of ranges) {
    const asn = place(range);
    let { start, end } = range;
    if ((start & LOWER_64) !== 0n) {
      const part = start | LOWER_64;
      addPart(start, end < part ? end : part, asn);
      start = part + 1n;
    }
    if (start > end) continue;
    const tail = (end & LOWER_64) === LOWER_64 ? undefined : end;
    if (tail !== undefined) end = (end & ~LOWER_64) - 1n;
    if (start <= end) halves.push({ start: start >> 64n, end: end >> 64n, asn });
    if (tail !== undefined) addPart(tail & ~LOWER_64, tail, asn);
  }
  const words = (number: bigint): number[] => [96n, 64n, 32n, 0n].map((shift) => Number((number >> shift) & WORD));
  const halfWords = ({ start, end, asn }: { start: bigint; end: bigint; asn: number }): number[] => [
    Number(start >> 32n),
    Number(start & WORD),
    Number(end >> 32n),
    Number(end & WORD),
    asn,
  ];
  return {
    v6Buckets: bucketsOf(
      halves.map(({ start }) => start),
      (bucket) => BigInt(BUCKETS + bucket) << 45n,
    ),
    v6Ranges: Uint32Array.from(halves.flatMap(halfWords)),
    exactStarts: Uint32Array.from(exact.flatMap(({ start }) => words(start))),
    exactEnds: Uint32Array.from(exact.flatMap(({ end }) => words(end))),
    exactAsns: Uint32Array.from(exact, ({ asn }) => asn),
  };
}
