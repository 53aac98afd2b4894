import { isIP, SocketAddress } from 'node:net';

/** Bits of the widest prefix that makes sense: no country shall be allowed by a slip. */
const WIDEST = { 4: 8, 6: 16 } as const;
const BITS = { 4: 32, 6: 128 } as const;

/**
 * A CIDR in canonical text (RFC 5952), with a prefix of /8 to /32 or /16 to /128.
 *
 * @returns or what is wrong with it, as the end of a sentence
 */
export function canonicalCidr(text: string): { cidr: string } | { reason: string } {
  const [, address = '', length = ''] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  if (version !== 4 && version !== 6) return { reason: 'must be a CIDR such as 203.0.113.0/24' };
  const bits = Number(length);
  if (bits < WIDEST[version] || bits > BITS[version] || String(bits) !== length)
    return { reason: `must have a prefix of /${WIDEST[version]} to /${BITS[version]} for IPv${version}` };
  const canonical = new SocketAddress({ address, family: `ipv${version}` }).address;
  if (version === 6 && canonical.includes('.')) return { reason: 'must be written as IPv4' };
  if (numberOf(canonical) & ((1n << BigInt(BITS[version] - bits)) - 1n))
    return { reason: `must have no bit set behind its prefix of /${bits}` };
  return { cidr: `${canonical}/${bits}` };
}

/** Of canonical text. */
function numberOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const groups = (part = ''): string[] => (part === '' ? [] : part.split(':'));
  const zeros = Array<string>(tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length).fill('0');
  return [...groups(head), ...zeros, ...groups(tail)].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
