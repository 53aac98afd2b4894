import { BlockList } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatAddress, parseAddress, type Address } from './address.js';
import { PrefixMap } from './prefix-map.js';
import { formatPrefix, parsePrefix, type Prefix } from './prefix.js';

const parsed = (text: string): Prefix => {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`${text} is no prefix`);
  return prefix;
};

describe('parsePrefix', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.77/24', '203.0.113.0/24'],
    ['203.0.113.77', '203.0.113.77/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:db8:ffff::/35', '2001:db8:e000::/35'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ])('reads %s as %s', (text, prefix) => {
    expect(formatPrefix(parsed(text))).toBe(prefix);
  });

  it.each([
    '',
    '/24',
    '203.0.113.0/33',
    '203.0.113.0/',
    '203.0.113.0/x',
    '2001:db8::/129',
    '::ffff:1.2.3.4/24',
    'AS1',
    '1.2.3.4/8/8',
  ])('refuses %j', (text) => {
    expect(parsePrefix(text)).toBeUndefined();
  });
});

describe('PrefixMap', () => {
  it('lets the longest prefix win, and of equal ones the first', () => {
    const map = new PrefixMap([
      [parsed('11.0.0.0/8'), 'wide'],
      [parsed('11.1.0.0/16'), 'narrow'],
      [parsed('11.1.0.0/16'), 'late'],
      [parsed('11.1.1.1'), 'one'],
      [parsed('2a00::/16'), 'wide six'],
      [parsed('2a00:1::/64'), 'narrow six'],
      [parsed('2a00:1::8000:0:0:0/65'), 'half'],
    ]);
    const found = [
      '10.255.255.255 11.0.0.0 11.1.0.0 11.1.1.1 11.1.1.2 11.2.0.0 12.0.0.0',
      '29ff:: 2a00:: 2a00:1:: 2a00:1::8000:0:0:1 2a00:1:0:1:: 2a01::',
    ].map((row) => row.split(' ').map((text) => map.find(parseAddress(text) as Address)));
    expect(found).toEqual([
      [undefined, 'wide', 'narrow', 'one', 'narrow', 'wide', undefined],
      [undefined, 'wide six', 'narrow six', 'half', 'wide six', undefined],
    ]);
  });

  it('covers what a block list of the platform covers', () => {
    // Addresses and prefixes near each other, so that they meet.
    const v4 = fc.integer({ min: 0x0b000000, max: 0x0b0000ff }).map((value): Address => ({ version: 4, value }));
    const v6 = fc
      .tuple(fc.constantFrom(0, 1, 0x8000), fc.constantFrom(0, 1, 0x8000))
      .map(([third, last]): Address => ({ version: 6, groups: Uint16Array.of(0x2a00, 0, 0, third, 0, 0, 0, last) }));
    const address = fc.oneof(v4, v6);
    const prefix = address.chain((base) =>
      fc.integer({ min: 20, max: base.version === 4 ? 32 : 128 }).map((bits): Prefix => ({ address: base, bits })),
    );
    fc.assert(
      fc.property(fc.array(prefix, { maxLength: 8 }), fc.array(address, { minLength: 5 }), (prefixes, addresses) => {
        const list = new BlockList();
        for (const { address: base, bits } of prefixes) list.addSubnet(formatAddress(base), bits, `ipv${base.version}`);
        const map = new PrefixMap(prefixes.map((each) => [each, true] as const));
        for (const each of addresses) {
          expect(map.find(each) ?? false).toBe(list.check(formatAddress(each), `ipv${each.version}`));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
