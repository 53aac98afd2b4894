import type { Address } from './address.js';
import { BIG_INTEGERS, flattenRanges, NUMBERS, type Range } from './flatten-ranges.js';
import { ipv6Number, prefixRange, type Prefix } from './prefix.js';

/** Values of prefixes of both families; of several prefixes around an address the longest counts. */
export class PrefixMap<V> {
  private readonly v4: Range<number, V>[];
  private readonly v6: Range<bigint, V>[];
  private readonly v4Starts: Uint32Array;
  /** The upper 64 bits are compared first; few prefixes are longer, so this decides nearly always. */
  private readonly v6Upper: BigUint64Array;

  /** Of two equal prefixes the first given counts. */
  constructor(entries: readonly (readonly [Prefix, V])[]) {
    const v4: Range<number, V>[] = [];
    const v6: Range<bigint, V>[] = [];
    for (const [prefix, value] of entries) {
      const { start, end } = prefixRange(prefix);
      if (prefix.address.version === 4) v4.push({ start: Number(start), end: Number(end), value });
      else v6.push({ start, end, value });
    }
    this.v4 = flattenRanges(v4, NUMBERS);
    this.v6 = flattenRanges(v6, BIG_INTEGERS);
    this.v4Starts = Uint32Array.from(this.v4, ({ start }) => start);
    this.v6Upper = BigUint64Array.from(this.v6, ({ start }) => start >> 64n);
  }

  find(address: Address): V | undefined {
    return address.version === 4 ? this.findIpv4(address.value) : this.findIpv6(address.groups);
  }

  private findIpv4(value: number): V | undefined {
    let low = 0;
    let high = this.v4Starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.v4Starts[middle] as number) <= value) low = middle + 1;
      else high = middle;
    }
    const range = this.v4[low - 1];
    return range !== undefined && value <= range.end ? range.value : undefined;
  }

  private findIpv6(groups: Uint16Array): V | undefined {
    if (this.v6.length === 0) return undefined;
    const number = ipv6Number(groups);
    const upper = number >> 64n;
    let low = 0;
    let high = this.v6.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = this.v6Upper[middle] as bigint;
      if (start < upper || (start === upper && (this.v6[middle] as Range<bigint, V>).start <= number)) low = middle + 1;
      else high = middle;
    }
    const range = this.v6[low - 1];
    return range !== undefined && number <= range.end ? range.value : undefined;
  }
}
