import { describe, expect, it } from '@jest/globals';
import { canonicalCidr } from './cidr.js';

describe('canonicalCidr', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['2001:DB8:0:0:0:0:0:0/32', '2001:db8::/32'],
    ['2001:db8:0:1::/64', '2001:db8:0:1::/64'],
    ['2001:db8::1/128', '2001:db8::1/128'],
    ['2000::/16', '2000::/16'],
    ['ff00:0:0:1:0:0:0:1/128', 'ff00:0:0:1::1/128'],
  ])('writes %s as %s', (text, cidr) => {
    expect(canonicalCidr(text)).toEqual({ cidr });
  });

  it.each([
    ['', 'must be a CIDR such as 203.0.113.0/24'],
    ['203.0.113.0', 'must be a CIDR such as 203.0.113.0/24'],
    ['203.0.113/24', 'must be a CIDR such as 203.0.113.0/24'],
    ['203.0.113.0/24 ', 'must be a CIDR such as 203.0.113.0/24'],
    ['203.0.113.0/024', 'must have a prefix of /8 to /32 for IPv4'],
    ['203.0.113.0/7', 'must have a prefix of /8 to /32 for IPv4'],
    ['0.0.0.0/0', 'must have a prefix of /8 to /32 for IPv4'],
    ['203.0.113.0/33', 'must have a prefix of /8 to /32 for IPv4'],
    ['203.0.113.1/24', 'must have no bit set behind its prefix of /24'],
    ['203.0.113.128/24', 'must have no bit set behind its prefix of /24'],
    ['::/0', 'must have a prefix of /16 to /128 for IPv6'],
    ['2001:db8::/129', 'must have a prefix of /16 to /128 for IPv6'],
    ['2001:db8::1/64', 'must have no bit set behind its prefix of /64'],
    ['fe80::1%eth0/64', 'must be a CIDR such as 203.0.113.0/24'],
    ['::ffff:203.0.113.0/120', 'must be written as IPv4'],
  ])('refuses %j: %s', (text, reason) => {
    expect(canonicalCidr(text)).toEqual({ reason });
  });
});
