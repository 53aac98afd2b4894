import { BlockList } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { canonicalAddress, parseAddress } from './address.js';
import { isReserved } from './reserved.js';

const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

function reserved(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return isReserved(address);
}

describe('isReserved', () => {
  it('knows the reserved IPv4 networks to the address, as a block list of the platform does', () => {
    const list = new BlockList();
    for (const [address, bits] of IPV4) list.addSubnet(address, bits);
    let found = 0;
    for (let value = 0; value < 2 ** 32; value += 0x8000) {
      for (const offset of [0, 0x7fff, 0x1ff, 0x7100, 0x6400, 0x200]) {
        const text = canonicalAddress(
          [24, 16, 8, 0].map((shift) => ((value + offset) >>> shift) & 255).join('.'),
        ) as string;
        const expected = list.check(text);
        if (expected) found++;
        if (reserved(text) !== expected) throw new Error(`${text} should be reserved: ${expected}`);
      }
    }
    expect(found).toBeGreaterThan(100_000);
  });

  it.each([
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff:ffff::1', '2001:db9::'],
    ['2001:f::', '2001:10::', '2001:2f:ffff::', '2001:30::'],
    ['3ffe:ffff::', '3fff::', '3fff:fff:ffff::', '3fff:1000::'],
  ])('%s is public, %s to %s reserved, %s public again', (before, first, last, after) => {
    expect([before, first, last, after].map(reserved)).toEqual([false, true, true, false]);
  });

  it.each([
    '::',
    '::1',
    '::1.2.3.4',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '64:ff9b::1',
    '100::1',
    '4000::',
  ])('%s is reserved', (text) => {
    expect(reserved(text)).toBe(true);
  });

  it('judges a mapped address by the IPv4 address in it', () => {
    expect([reserved('::ffff:10.0.0.1'), reserved('::ffff:8.8.8.8')]).toEqual([true, false]);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450::1', '2001:470::1'])('%s is public', (text) => {
    expect(reserved(text)).toBe(false);
  });
});
