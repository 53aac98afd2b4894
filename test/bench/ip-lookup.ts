import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { open, type AsnResponse, type Reader } from 'maxmind';
import { formatIpv4, formatIpv6 } from '#apps/integrity/src/networks/address.js';
import { readAsnCsv } from '#apps/integrity/src/networks/asn-csv.js';
import type { AsnTable } from '#apps/integrity/src/networks/asn-table.js';
import { loadAsnTable } from '#apps/integrity/src/networks/load-asn-table.js';
import { NetworkKnowledge } from '#apps/integrity/src/networks/network-knowledge.js';
import { NetworksConfig } from '#apps/integrity/src/networks/networks.config.js';
import type { Ending } from './ending.js';
import { milliseconds, type Figure } from './measure.js';
import { mmdbFile, type MmdbRange } from './mmdb-file.js';

const ROUNDS = 9;
const IPV4_ADDRESSES = 500_000;
const IPV6_ADDRESSES = 200_000;
const COMPARED = 100_000;

/** Our look-up of AS number and name against the `maxmind` reader's over the same data, both from text. */
export async function ipLookup(ending: Ending): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyport-mmdb-'));
  ending.add(() => {
    rmSync(directory, { recursive: true });
    return Promise.resolve();
  });
  const { ranges, names } = readSource();
  const file = join(directory, 'asn.mmdb');
  writeFileSync(file, mmdbFile(ranges, names));
  const reader = await open<AsnResponse>(file);
  loadAsnTable();
  const load: number[] = [];
  for (let round = 0; round < ROUNDS; round++) load.push(await timed(() => loadAsnTable()));
  const { table } = loadAsnTable();
  const knowledge = NetworkKnowledge.load(new NetworksConfig());

  const figures: Figure[] = [{ name: 'load of the ASN data', unit: 'ms', values: load, goal: 50 }];
  const families = [
    ['IPv4', randomIpv4(IPV4_ADDRESSES), 100],
    ['IPv6', ipv6Inside(ranges, IPV6_ADDRESSES), 100],
  ] as const;
  for (const [family, addresses, goal] of families) {
    compare(table, reader, addresses.slice(0, COMPARED));
    const [ours, theirs, known]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await timed(() => countOurs(table, addresses)));
      theirs.push(await timed(() => countTheirs(reader, addresses)));
      known.push(await timed(() => addresses.filter((address) => knowledge.lookup(address)?.asn != null).length));
    }
    const name = `${addresses.length} ${family} look-ups`;
    figures.push(
      { name, unit: 'ms', values: ours, other: { name: 'maxmind', values: theirs }, goal: 0.2 },
      { name: `${name} on the clock`, unit: 'ms', values: ours, goal },
      {
        name: `${name} with keys and type`,
        unit: 'ms',
        values: known,
        other: { name: 'maxmind', values: theirs },
        goal: 1,
      },
    );
  }
  return figures;
}

function timed(work: () => unknown): Promise<number> {
  return milliseconds(() => Promise.resolve(work()));
}

function countOurs(table: AsnTable, addresses: readonly string[]): number {
  let sum = 0;
  for (const address of addresses) {
    const place = table.placeOfText(address);
    if (place >= 0) sum += table.asnAt(place) + table.nameAt(place).length;
  }
  return sum;
}

function countTheirs(reader: Reader<AsnResponse>, addresses: readonly string[]): number {
  let sum = 0;
  for (const address of addresses) {
    const found = reader.get(address);
    if (found !== null) sum += found.autonomous_system_number + found.autonomous_system_organization.length;
  }
  return sum;
}

/** @throws Error for the first address about which the two differ */
function compare(table: AsnTable, reader: Reader<AsnResponse>, addresses: readonly string[]): void {
  for (const address of addresses) {
    const place = table.placeOfText(address);
    const theirs = reader.get(address);
    const [asn, name] = place < 0 ? [undefined, undefined] : [table.asnAt(place), table.nameAt(place)];
    if (asn !== theirs?.autonomous_system_number || name !== theirs?.autonomous_system_organization) {
      throw new Error(`${address}: we say AS${asn} ${name}, the reader AS${theirs?.autonomous_system_number}`);
    }
  }
}

function readSource(): { ranges: MmdbRange[]; names: Map<number, string> } {
  const directory = dirname(createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json'));
  const names = new Map<number, string>();
  const highest = { v4: (1n << 32n) - 1n, v6: (1n << 128n) - 1n };
  const ranges = [
    ...readAsnCsv(readFileSync(join(directory, 'asn-ipv4-num.csv')), BigInt, highest.v4, names).ranges,
    ...readAsnCsv(readFileSync(join(directory, 'asn-ipv6-num.csv')), BigInt, highest.v6, names).ranges,
  ];
  return { ranges: ranges.map(({ start, end, value }) => ({ start, end, asn: value })), names };
}

function randomIpv4(count: number): string[] {
  return Array.from({ length: count }, () => formatIpv4(Math.floor(Math.random() * 2 ** 32)));
}

/** Random IPv6 addresses are nowhere: these lie in the first or last /64 of a random range, or beside it. */
function ipv6Inside(ranges: readonly MmdbRange[], count: number): string[] {
  const ipv6 = ranges.filter(({ end }) => end >= 1n << 32n);
  return Array.from({ length: count }, () => {
    const { start, end } = ipv6[Math.floor(Math.random() * ipv6.length)] as MmdbRange;
    const inside = BigInt(Math.floor(Math.random() * 2 ** 52)) << BigInt(Math.floor(Math.random() * 24));
    const number =
      (start + (inside % (end - start + 1n)) * BigInt(Math.floor(Math.random() * 2) + 1)) & ((1n << 128n) - 1n);
    return formatIpv6(
      Uint16Array.from({ length: 8 }, (_, index) => Number((number >> BigInt(112 - 16 * index)) & 0xffffn)),
    );
  });
}
