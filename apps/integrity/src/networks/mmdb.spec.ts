import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mmdbFile } from '../../../../test/bench/mmdb-file.js';
import { readAsnCsvs } from './compile-asn.js';
import { loadAsnTable } from './load-asn-table.js';
import { readMmdb } from './mmdb.js';

const PACKAGE = dirname(createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json'));

/** A database with each hundredth range of the package. */
function smallDatabase(): Buffer {
  const { ipv4, ipv6, names } = readAsnCsvs(
    readFileSync(join(PACKAGE, 'asn-ipv4-num.csv')),
    readFileSync(join(PACKAGE, 'asn-ipv6-num.csv')),
  );
  const ranges = [...ipv4, ...ipv6]
    .filter((_, index) => index % 100 === 0)
    .map(({ start, end, value }) => ({ start: BigInt(start), end: BigInt(end), asn: value }));
  const used = new Set(ranges.map(({ asn }) => asn));
  return mmdbFile(ranges, new Map([...names].filter(([asn]) => used.has(asn))));
}

describe('a MaxMind DB of an operator', () => {
  it('is compiled like the CSV files and finds the same', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tallyport-mmdb-'));
    try {
      writeFileSync(join(directory, 'GeoLite2-ASN.mmdb'), smallDatabase());
      const { table: whole } = loadAsnTable();
      const { table } = loadAsnTable(directory);
      const { table: again } = loadAsnTable(directory);
      expect([table.dataDate, again.size]).toEqual(['2023-11-14', table.size]);
      let compared = 0;
      for (const { start, end, asn } of table.ipv4Ranges()) {
        for (const address of [start, end]) {
          const [place, wholePlace] = [table.placeOfIpv4(address), whole.placeOfIpv4(address)];
          expect([table.asnAt(place), table.nameAt(place)]).toEqual([asn, whole.nameAt(wholePlace)]);
        }
        compared++;
      }
      expect(compared).toBeGreaterThan(4_000);
      const { ipv6 } = readMmdb(smallDatabase());
      expect(ipv6.length).toBeGreaterThan(1_000);
      for (const { start, end, value } of ipv6) {
        for (const number of [start, end]) {
          const groups = Uint16Array.from({ length: 8 }, (_, index) =>
            Number((number >> BigInt(112 - 16 * index)) & 0xffffn),
          );
          expect(whole.asnAt(whole.placeOfIpv6(groups))).toBe(value);
        }
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is refused when it is none', () => {
    expect(() => readMmdb(Buffer.from('x'))).toThrow('no MaxMind DB');
    const database = smallDatabase();
    expect(() => readMmdb(database.subarray(database.length - 300))).toThrow();
  });
});
