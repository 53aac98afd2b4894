import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseAddress, type Address } from './address.js';
import {
  asnEntityId,
  hostEntityId,
  hostKey,
  networkEntityId,
  networkKey,
  parseEntityId,
  visitorEntityId,
} from './network-key.js';

const addresses: fc.Arbitrary<Address> = fc.oneof(
  fc.nat(0xffffffff).map((value): Address => ({ version: 4, value })),
  fc
    .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((groups): Address => ({ version: 6, groups: Uint16Array.from(groups) })),
);

describe('keys and ids of entities', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24', 'net-203.0.113.0-24', '203.0.113.7', 'host-203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.0/24', 'net-203.0.113.0-24', '203.0.113.7', 'host-203.0.113.7'],
    [
      '2001:db8:1:2:3:4:5:6',
      '2001:db8:1::/48',
      'net6-20010db80001-48',
      '2001:db8:1:2::/64',
      'host6-20010db800010002-64',
    ],
    ['2001:db8::1', '2001:db8::/48', 'net6-20010db80000-48', '2001:db8::/64', 'host6-20010db800000000-64'],
  ])('%s lies in %s (%s), host %s (%s)', (text, net, netId, host, hostId) => {
    const address = parseAddress(text) as Address;
    expect([networkKey(address), hostKey(address)]).toEqual([net, host]);
    expect([networkEntityId(net), hostEntityId(host)]).toEqual([netId, hostId]);
  });

  it('leads from every id back to its key', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const [net, host] = [networkKey(address), hostKey(address)];
        expect(parseEntityId(networkEntityId(net))).toEqual({ type: 'network', key: net });
        expect(parseEntityId(hostEntityId(host))).toEqual({ type: 'host', key: host });
      }),
    );
  });

  it('names AS numbers and visitors', () => {
    expect(asnEntityId(24940)).toBe('asn-24940');
    expect(parseEntityId('asn-24940')).toEqual({ type: 'asn', key: '24940' });
    // printf 'a1b2' | sha256sum
    expect(visitorEntityId('a1', 'b2')).toBe('vis-85337816d263d362');
    expect(parseEntityId('vis-85337816d263d362')).toEqual({ type: 'visitor', key: '85337816d263d362' });
  });

  it.each([
    '',
    'net-203.0.113.7-24',
    'net-203.0.113.0-25',
    'net-203.0.113.0/24',
    'net-::1-24',
    'host-203.0.113.007',
    'host-2001:db8::1',
    'net6-20010DB80001-48',
    'net6-2001-48',
    'host6-20010db800010002-48',
    'asn-0012',
    'asn-4294967296',
    'asn-x',
    'vis-123',
    'vis-ABCDEF0123456789',
    'net-203.0.113.0-24 ',
    "net-203.0.113.0-24' OR 1=1",
  ])('%j is the id of nothing', (id) => {
    expect(parseEntityId(id)).toBeUndefined();
  });

  it('refuses keys of another kind', () => {
    for (const key of ['203.0.113.7', '2001:db8::/64', '203.0.113.0/25', 'x']) {
      expect(() => networkEntityId(key)).toThrow(key);
    }
    for (const key of ['203.0.113.0/24', '2001:db8::/48', '2001:db8::1', 'x']) {
      expect(() => hostEntityId(key)).toThrow(key);
    }
  });
});
