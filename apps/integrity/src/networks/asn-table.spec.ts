import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseIpv4, parseIpv6 } from './address.js';
import type { AsnTable } from './asn-table.js';
import { loadAsnTable } from './load-asn-table.js';

const DIRECTORY = dirname(createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json'));
const RANDOM_ADDRESSES = 100_000;

interface SourceRange<N> {
  start: N;
  end: N;
  asn: number;
}

/** The files with addresses as text: the table is made of those with numbers. */
function readSource<N>(name: string, toNumber: (text: string) => N): SourceRange<N>[] {
  return readFileSync(join(DIRECTORY, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [start = '', end = '', asn] = line.split(',', 3);
      return { start: toNumber(start), end: toNumber(end), asn: Number(asn) };
    });
}

/** ASNs of ascending addresses by walking along the ascending ranges; the narrowest around an address counts. */
function* scan<N extends number | bigint>(
  addresses: readonly N[],
  ranges: readonly SourceRange<N>[],
): Generator<[N, number]> {
  let around: SourceRange<N>[] = [];
  let next = 0;
  for (const address of addresses) {
    for (let range = ranges[next]; range !== undefined && range.start <= address; range = ranges[++next]) {
      around.push(range);
    }
    if (around.some(({ end }) => end < address)) around = around.filter(({ end }) => end >= address);
    if (around.length > 1)
      around.sort((a, b) => Number(BigInt(a.end) - BigInt(a.start) - (BigInt(b.end) - BigInt(b.start))));
    yield [address, around[0]?.asn ?? -1];
  }
}

/** Numbers from 0 to below 2^32, the same in each run. */
function* randomWords(): Generator<number, never> {
  for (let state = 1; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield (state ^ (state >>> 15)) >>> 0;
  }
}

function ipv6Number(text: string): bigint {
  const groups = new Uint16Array(8);
  if (!parseIpv6(text, groups)) throw new Error(`${text} is no IPv6 address`);
  return groups.reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

function groupsOf(number: bigint): Uint16Array {
  return Uint16Array.from({ length: 8 }, (_, index) => Number((number >> BigInt(112 - 16 * index)) & 0xffffn));
}

let table: AsnTable;
beforeAll(() => {
  ({ table } = loadAsnTable());
});

function asnOf(place: number): number {
  return place < 0 ? -1 : table.asnAt(place);
}

describe('AsnTable against a scan of its source', () => {
  it('agrees on random IPv4 addresses and on both sides of all borders', () => {
    const ranges = readSource('asn-ipv4.csv', parseIpv4).sort((a, b) => a.start - b.start);
    const random = randomWords();
    const addresses = [
      ...Array.from({ length: RANDOM_ADDRESSES }, () => random.next().value),
      ...ranges.flatMap(({ start, end }) => [start - 1, start, end, end + 1]),
    ].filter((address) => address >= 0 && address < 2 ** 32);
    let covered = 0;
    for (const [address, asn] of scan(
      addresses.sort((a, b) => a - b),
      ranges,
    )) {
      if (asn >= 0) covered++;
      if (asnOf(table.placeOfIpv4(address)) !== asn) throw new Error(`${address} is not in AS${asn}`);
    }
    expect(covered).toBeGreaterThan(ranges.length * 2);
  });

  it('agrees on random IPv6 addresses, half of them inside ranges, and on both sides of all borders', () => {
    const ranges = readSource('asn-ipv6.csv', ipv6Number).sort((a, b) => (a.start < b.start ? -1 : 1));
    const random = randomWords();
    const word = (): bigint => BigInt(random.next().value);
    const anywhere = (): bigint =>
      (1n << 125n) | ((word() & 0x1fffffffn) << 96n) | (word() << 64n) | (word() << 32n) | word();
    const inside = (): bigint => {
      const { start, end } = ranges[Number(word()) % ranges.length] as SourceRange<bigint>;
      return start + (anywhere() % (end - start + 1n));
    };
    const addresses = [
      ...Array.from({ length: RANDOM_ADDRESSES / 2 }, anywhere),
      ...Array.from({ length: RANDOM_ADDRESSES / 2 }, inside),
      ...ranges.flatMap(({ start, end }) => [start - 1n, start, end, end + 1n]),
    ];
    let covered = 0;
    for (const [address, asn] of scan(
      addresses.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
      ranges,
    )) {
      if (asn >= 0) covered++;
      if (asnOf(table.placeOfIpv6(groupsOf(address))) !== asn) throw new Error(`${address} is not in AS${asn}`);
    }
    expect(covered).toBeGreaterThan(ranges.length * 2);
  });
});

describe('AsnTable', () => {
  it('finds text of both families and mapped addresses, and nothing for other text', () => {
    const [google, mapped, ipv6] = ['8.8.8.8', '::ffff:8.8.8.8', '2001:4860:4860::8888'].map((text) =>
      table.placeOfText(text),
    );
    expect([google, mapped, ipv6].map((place) => asnOf(place as number))).toEqual([15169, 15169, 15169]);
    expect(table.nameAt(google as number)).toBe('Google LLC');
    expect(['', 'x', '8.8.8', '10.0.0.1', '::1'].map((text) => table.placeOfText(text))).toEqual([-1, -1, -1, -1, -1]);
  });

  it('counts the addresses of an AS and knows only those of the data', () => {
    const ranges = readSource('asn-ipv4.csv', parseIpv4).filter(({ asn }) => asn === 24940);
    const addresses = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
    expect(table.addressesAt(table.placeOfAsn(24940))).toBe(addresses);
    expect([table.placeOfAsn(0), table.placeOfAsn(64512), table.placeOfAsn(2 ** 32 - 1)]).toEqual([-1, -1, -1]);
  });

  it('lists its IPv4 ranges in order', () => {
    let before = -1;
    let count = 0;
    for (const { start, end, asn } of table.ipv4Ranges()) {
      if (start <= before || end < start || asn <= 0) throw new Error(`wrong range ${start}-${end} of AS${asn}`);
      before = end;
      count++;
    }
    expect(count).toBeGreaterThan(400_000);
  });

  it('tells the date of the package', () => {
    const { version } = JSON.parse(readFileSync(join(DIRECTORY, 'package.json'), 'utf8')) as { version: string };
    expect(table.dataDate.replaceAll('-', '')).toBe(version.split('.').at(-1)?.slice(0, 8));
  });
});
