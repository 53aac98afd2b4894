import { copyFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseAddress } from './address.js';
import { decodeAsnFile, encodeAsnFile } from './asn-file.js';
import { AsnTable } from './asn-table.js';
import { compileAsn, readAsnCsvs } from './compile-asn.js';
import { loadAsnTable } from './load-asn-table.js';

/** Lines of the numeric form out of readable ones, `first,last,asn,name`. */
function csv(...lines: string[]): Buffer {
  const numeric = lines.map((line) => {
    const [first = '', last = '', ...rest] = line.split(',');
    return [number(first), number(last), ...rest].join(',');
  });
  return Buffer.from(numeric.map((line) => `${line}\n`).join(''));
}

function number(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address.version === 4) return String(address.value);
  return String(address.groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n));
}

function tableOf(ipv4: Buffer, ipv6: Buffer): { table: AsnTable; badLines: number } {
  const { badLines, ...source } = readAsnCsvs(ipv4, ipv6);
  return { table: new AsnTable({ stamp: '', dataDate: '2026-01-02', columns: compileAsn(source) }), badLines };
}

function asnOf(table: AsnTable, text: string): number | undefined {
  const place = table.placeOfText(text);
  return place < 0 ? undefined : table.asnAt(place);
}

describe('compileAsn', () => {
  it('lets the narrower of overlapping ranges win, also across a /64', () => {
    const { table } = tableOf(
      csv('11.0.0.0,11.0.255.255,1,Wide', '11.0.128.0,11.1.0.255,2,Narrow'),
      csv(
        '2a00::,2a00:0:0:ff:ffff:ffff:ffff:ffff,10,Wide',
        '2a00:0:0:1::5,2a00:0:0:1::9,20,Part',
        '2a00:0:0:2:8000::,2a00:0:0:4:0:0:0:ff,30,Over three',
      ),
    );
    const asns = [
      '11.0.127.255 11.0.128.0 11.1.0.255 11.1.1.0',
      '2a00:0:0:1::4 2a00:0:0:1::5 2a00:0:0:1::9 2a00:0:0:1::a',
      '2a00:0:0:2:7fff:ffff:ffff:ffff 2a00:0:0:2:8000:: 2a00:0:0:3:: 2a00:0:0:4::ff 2a00:0:0:4::100 2a00:0:0:100::',
    ].map((row) => row.split(' ').map((text) => asnOf(table, text)));
    expect(asns).toEqual([
      [1, 2, 2, undefined],
      [10, 20, 20, 10],
      [10, 30, 30, 30, 10, undefined],
    ]);
  });

  it('keeps the edges of the address space', () => {
    const { table } = tableOf(
      csv('0.0.0.0,0.0.0.0,1,First', '255.255.255.255,255.255.255.255,4294967295,Last'),
      csv('::,::,3,First', 'ffff:ffff:ffff:ffff::,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,4,Last'),
    );
    const texts = ['0.0.0.0', '0.0.0.1', '255.255.255.254', '255.255.255.255', '::', '::1'];
    expect(texts.map((text) => asnOf(table, text))).toEqual([1, undefined, undefined, 4294967295, 3, undefined]);
    expect(asnOf(table, 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toBe(4);
  });

  it('reads quoted and foreign names, and skips and counts lines that are no ranges', () => {
    const { table, badLines } = tableOf(
      csv(
        '11.0.0.0,11.0.0.255,1,"Say ""hi"", Ltd."',
        '12.0.0.0,12.0.0.255,2,Universität Ñandú',
        '13.0.0.0,13.0.0.255,0,None',
      ),
      csv('x,2a00::,3,Bad', '2a00::1,2a00::,3,Backwards', '2a00::,2a00::1,4294967296,Too large', '2a00::'),
    );
    expect(badLines).toBe(4);
    expect([table.nameAt(0), table.nameAt(1), table.size]).toEqual(['Say "hi", Ltd.', 'Universität Ñandú', 2]);
  });

  it('makes an empty table of nothing', () => {
    const { table } = tableOf(Buffer.alloc(0), Buffer.alloc(0));
    expect([table.size, table.placeOfText('8.8.8.8'), table.placeOfText('2a00::')]).toEqual([0, -1, -1]);
  });
});

describe('the compiled file', () => {
  const columns = compileAsn(readAsnCsvs(csv('11.0.0.0,11.0.0.255,1,Óne'), csv('2a00::,2a00::5,3,Three')));
  const file = encodeAsnFile({ stamp: 'x', dataDate: '2026-01-02', columns });

  it('comes back as it was', () => {
    const data = decodeAsnFile(file);
    expect(data?.dataDate).toBe('2026-01-02');
    expect(Buffer.from(data?.columns.names ?? []).toString()).toBe('ÓneThree');
    expect({ ...data?.columns, names: null }).toEqual({ ...columns, names: null });
  });

  it('is refused when it is cut short or begins otherwise', () => {
    expect(decodeAsnFile(file.slice(0, -8))).toBeUndefined();
    expect(decodeAsnFile(new Uint8Array(3))).toBeUndefined();
    expect(decodeAsnFile(file.slice().fill(1, 0, 1))).toBeUndefined();
  });
});

describe('loadAsnTable of a folder', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyport-asn-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  function write(asn: number, changed: string): void {
    writeFileSync(join(directory, 'asn-ipv4-num.csv'), csv(`11.0.0.0,11.0.0.255,${asn},Name`));
    writeFileSync(join(directory, 'asn-ipv6-num.csv'), csv('2a00::,2a00:1:ffff:ffff:ffff:ffff:ffff:ffff,3,Three'));
    const time = new Date(changed);
    utimesSync(join(directory, 'asn-ipv4-num.csv'), time, time);
  }

  it('follows changed files, and dates data without a package by their file', () => {
    write(1, '2026-03-04T00:00:00Z');
    for (const _ of ['compiled', 'kept']) {
      const { table, badLines } = loadAsnTable(directory);
      expect([asnOf(table, '11.0.0.9'), table.dataDate, badLines]).toEqual([1, '2026-03-04', 0]);
    }
    write(2, '2026-03-05T00:00:00Z');
    expect(asnOf(loadAsnTable(directory).table, '11.0.0.9')).toBe(2);
  });

  it('says what is missing', () => {
    expect(() => loadAsnTable(directory)).toThrow(/no ASN data: .*asn-ipv4-num\.csv/);
    write(1, '2026-03-04T00:00:00Z');
    copyFileSync(join(directory, 'asn-ipv4-num.csv'), join(directory, 'other.csv'));
    rmSync(join(directory, 'asn-ipv6-num.csv'));
    expect(() => loadAsnTable(directory)).toThrow('asn-ipv6-num.csv');
  });
});
