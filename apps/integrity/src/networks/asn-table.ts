import { mappedIpv4, parseIpv4, parseIpv6, type Address } from './address.js';
import { EXACT, type AsnColumns, type AsnData } from './asn-file.js';

/** IPv4 numbers of one range, both ends included. */
export interface Ipv4Range {
  start: number;
  end: number;
  asn: number;
}

/**
 * Which AS an address belongs to. Look-ups give the *place* of an AS, a small number under which `asnAt`, `nameAt` and
 * `addressesAt` tell about it, or -1 for an address that the data do not cover.
 */
export class AsnTable {
  /** YYYY-MM-DD of the source. */
  readonly dataDate: string;
  /** How many ASs there are; places go from 0 to below it. */
  readonly size: number;
  private readonly columns: AsnColumns;
  private readonly v4Buckets: Uint32Array;
  private readonly v4Ranges: Uint32Array;
  private readonly v6Buckets: Uint32Array;
  private readonly v6Ranges: Uint32Array;
  private readonly names: (string | undefined)[];
  private readonly nameBytes: Buffer;
  private readonly groups = new Uint16Array(8);

  constructor({ dataDate, columns }: AsnData) {
    this.dataDate = dataDate;
    this.columns = columns;
    ({ v4Buckets: this.v4Buckets, v4Ranges: this.v4Ranges } = columns);
    ({ v6Buckets: this.v6Buckets, v6Ranges: this.v6Ranges } = columns);
    this.size = columns.asns.length;
    // Filled at once: an array that grows at random places becomes a slow dictionary.
    this.names = new Array<string | undefined>(this.size).fill(undefined);
    this.nameBytes = Buffer.from(columns.names.buffer, columns.names.byteOffset, columns.names.byteLength);
  }

  /** For text of either family; -1 also for text that is no address. */
  placeOfText(text: string): number {
    const value = parseIpv4(text);
    if (value >= 0) return this.placeOfIpv4(value);
    if (!parseIpv6(text, this.groups)) return -1;
    const mapped = mappedIpv4(this.groups);
    return mapped >= 0 ? this.placeOfIpv4(mapped) : this.placeOfIpv6(this.groups);
  }

  placeOf(address: Address): number {
    return address.version === 4 ? this.placeOfIpv4(address.value) : this.placeOfIpv6(address.groups);
  }

  placeOfIpv4(value: number): number {
    const ranges = this.v4Ranges;
    const bucket = value >>> 16;
    let low = this.v4Buckets[bucket] as number;
    let high = this.v4Buckets[bucket + 1] as number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle * 3] as number) <= value) low = middle + 1;
      else high = middle;
    }
    const found = low * 3 - 3;
    return found >= 0 && value <= (ranges[found + 1] as number) ? (ranges[found + 2] as number) : -1;
  }

  placeOfIpv6(groups: Uint16Array): number {
    const ranges = this.v6Ranges;
    const upper = word(groups, 0);
    const lower = word(groups, 2);
    const isGlobal = upper >>> 29 === 1;
    const bucket = (upper >>> 13) & 0xffff;
    let low = isGlobal ? (this.v6Buckets[bucket] as number) : 0;
    let high = isGlobal ? (this.v6Buckets[bucket + 1] as number) : ranges.length / 5;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = ranges[middle * 5] as number;
      if (start < upper || (start === upper && (ranges[middle * 5 + 1] as number) <= lower)) low = middle + 1;
      else high = middle;
    }
    const found = low * 5 - 5;
    if (found < 0) return -1;
    const end = ranges[found + 2] as number;
    if (end < upper || (end === upper && (ranges[found + 3] as number) < lower)) return -1;
    const place = ranges[found + 4] as number;
    return place === EXACT ? this.exactPlace(groups) : place;
  }

  /** A few hundred ranges, asked for a handful of /64s only: looking at one after the other is fast enough. */
  private exactPlace(groups: Uint16Array): number {
    const { exactStarts, exactEnds, exactAsns } = this.columns;
    const found = exactAsns.findIndex(
      (_, index) =>
        compareWords(exactStarts, index * 4, groups) <= 0 && compareWords(exactEnds, index * 4, groups) >= 0,
    );
    return exactAsns[found] ?? -1;
  }

  asnAt(place: number): number {
    return this.columns.asns[place] as number;
  }

  /** The organisation as registered; may be empty. */
  nameAt(place: number): string {
    const { nameStarts } = this.columns;
    return (this.names[place] ??= this.nameBytes.toString('utf8', nameStarts[place], nameStarts[place + 1]));
  }

  /** How many IPv4 addresses the AS announces. */
  addressesAt(place: number): number {
    return this.columns.addresses[place] as number;
  }

  /** -1 for an AS that the data do not know. */
  placeOfAsn(asn: number): number {
    const { asns } = this.columns;
    let low = 0;
    let high = asns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((asns[middle] as number) < asn) low = middle + 1;
      else high = middle;
    }
    return asns[low] === asn ? low : -1;
  }

  /** All IPv4 ranges in rising order. */
  *ipv4Ranges(): Generator<Ipv4Range> {
    const ranges = this.v4Ranges;
    for (let index = 0; index < ranges.length; index += 3) {
      yield {
        start: ranges[index] as number,
        end: ranges[index + 1] as number,
        asn: this.asnAt(ranges[index + 2] as number),
      };
    }
  }
}

function word(groups: Uint16Array, at: number): number {
  return (((groups[at] as number) << 16) | (groups[at + 1] as number)) >>> 0;
}

/** Below zero when the four words from `at` are lower than the address. */
function compareWords(words: Uint32Array, at: number, groups: Uint16Array): number {
  for (let index = 0; index < 4; index++) {
    const difference = (words[at + index] as number) - word(groups, index * 2);
    if (difference !== 0) return difference;
  }
  return 0;
}
