import type { Address } from './address.js';

/** First number and prefix length of what is no public unicast address: the registries of RFC 6890, multicast, class E. */
const RESERVED_IPV4: readonly (readonly [number, number])[] = [
  [0x00000000, 8], // "this network"
  [0x0a000000, 8], // private
  [0x64400000, 10], // shared address space of carriers (RFC 6598)
  [0x7f000000, 8], // loopback
  [0xa9fe0000, 16], // link-local
  [0xac100000, 12], // private
  [0xc0000000, 24], // protocol assignments
  [0xc0000200, 24], // documentation
  [0xc0a80000, 16], // private
  [0xc6120000, 15], // benchmarking
  [0xc6336400, 24], // documentation
  [0xcb007100, 24], // documentation
  [0xe0000000, 4], // multicast
  [0xf0000000, 4], // class E and broadcast
];

/** One flag for each /8, so that most addresses need no look at the list. */
const HAS_RESERVED = new Uint8Array(256);
for (const [first, bits] of RESERVED_IPV4) {
  const top = first >>> 24;
  HAS_RESERVED.fill(1, top, top + (bits < 8 ? 2 ** (8 - bits) : 1));
}

/**
 * Whether an address can't be a visitor's on the public internet: private, loopback, link-local, shared, documentation,
 * benchmarking, multicast and the like; of IPv6 all but 2000::/3, and inside it documentation and the RFC 6890 registry.
 */
export function isReserved(address: Address): boolean {
  return address.version === 4 ? isReservedIpv4(address.value) : isReservedIpv6(address.groups);
}

function isReservedIpv4(value: number): boolean {
  if (HAS_RESERVED[value >>> 24] === 0) return false;
  return RESERVED_IPV4.some(([first, bits]) => value >>> (32 - bits) === first >>> (32 - bits));
}

function isReservedIpv6(groups: Uint16Array): boolean {
  const [first = 0, second = 0, third = 0] = groups;
  if (first >>> 13 !== 1) return true;
  if (first === 0x2001) {
    // Documentation, benchmarking, ORCHID and ORCHIDv2.
    return second === 0xdb8 || (second === 2 && third === 0) || second >>> 4 === 1 || second >>> 4 === 2;
  }
  return first === 0x3fff && second < 0x1000; // documentation (RFC 9637)
}
