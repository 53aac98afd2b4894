import { isIP, isIPv4, isIPv6 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalAddress, formatIpv4, formatIpv6, parseAddress, parseIpv4, parseIpv6 } from './address.js';

const groupsOf = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });

/** What the platform makes of an IPv6 address: an implementation that is not ours. */
function platformForm(text: string): string {
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

describe('canonicalAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8:0:0:8:800:200C:417A', '2001:db8::8:800:200c:417a'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['0001:0002:0003:0004:0005:0006:0007:0008', '1:2:3:4:5:6:7:8'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:0102:0304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:1.2.3.4', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  it.each([
    '',
    ' ',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.-4',
    '1.2.3.4/24',
    '١.٢.٣.٤',
    ':',
    ':::',
    '1:',
    ':1',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '12345::',
    'g::',
    'fe80::1%eth0',
    '::1.2.3',
    '::1.2.3.4:5',
    '1.2.3.4::',
    '1:2:3:4:5:6:7:1.2.3.4',
    '[::1]',
    'localhost',
    '0x7f.1',
    '2130706433',
    '\0',
  ])('%j is no address', (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it('reads every IPv4 address back from its text', () => {
    fc.assert(fc.property(fc.nat(0xffffffff), (value) => parseIpv4(formatIpv4(value)) === value));
  });

  it('writes IPv6 as the platform does and reads it back', () => {
    fc.assert(
      fc.property(groupsOf, (numbers) => {
        const groups = Uint16Array.from(numbers);
        const text = formatIpv6(groups);
        expect(text).toBe(platformForm(text));
        expect(platformForm(numbers.map((group) => group.toString(16)).join(':'))).toBe(text);
        const again = new Uint16Array(8).fill(7);
        expect(parseIpv6(text, again)).toBe(true);
        expect(again).toEqual(groups);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes exactly what node:net takes, but for zones', () => {
    const part = fc.oneof(
      fc.constantFrom('', '0', '00', '1', '255', '256', 'ffff', '10000', 'g', '1.2.3.4'),
      fc.string(),
    );
    const nearly = fc
      .array(fc.tuple(part, fc.constantFrom(':', '::', '.', '')), { maxLength: 10 })
      .map((pieces) => pieces.flat().join(''));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const address = text.includes('%') ? undefined : parseAddress(text);
        expect(address !== undefined).toBe(isIP(text) !== 0 && !text.includes('%'));
        expect(parseIpv4(text) >= 0).toBe(isIPv4(text));
        if (!text.includes('%')) expect(parseIpv6(text, new Uint16Array(8))).toBe(isIPv6(text));
      }),
      { numRuns: 20_000 },
    );
  });
});
