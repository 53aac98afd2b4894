import { formatAddress, parseAddress, type Address } from './address.js';

/** All addresses that begin like `address` for so many bits. */
export interface Prefix {
  address: Address;
  bits: number;
}

/** `203.0.113.0/24`, or an address alone for itself only; bits behind the prefix are ignored. Undefined for other text. */
export function parsePrefix(text: string): Prefix | undefined {
  const [, addressText = '', length] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const address = parseAddress(addressText);
  if (address === undefined) return undefined;
  // A mapped IPv4 address has become IPv4, so its length has to shrink with it.
  const skipped = address.version === 4 && addressText.includes(':') ? 96 : 0;
  const most = address.version === 4 ? 32 : 128;
  const bits = length === undefined ? most : Number(length) - skipped;
  return bits >= 0 && bits <= most ? { address, bits } : undefined;
}

/** The prefix as text with zero bits behind it. */
export function formatPrefix(prefix: Prefix): string {
  const { start } = prefixRange(prefix);
  return `${formatAddress(prefix.address.version === 4 ? { version: 4, value: Number(start) } : { version: 6, groups: ipv6Groups(start) })}/${prefix.bits}`;
}

/** The first and last address of a prefix as numbers, of 32 bits for IPv4 and 128 for IPv6. */
export function prefixRange({ address, bits }: Prefix): { start: bigint; end: bigint } {
  const [number, most] = address.version === 4 ? [BigInt(address.value), 32] : [ipv6Number(address.groups), 128];
  const rest = (1n << BigInt(most - bits)) - 1n;
  return { start: number & ~rest, end: number | rest };
}

/** Eight groups as one number. */
export function ipv6Number(groups: Uint16Array): bigint {
  return groups.reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

function ipv6Groups(number: bigint): Uint16Array {
  return Uint16Array.from({ length: 8 }, (_, index) => Number((number >> BigInt(112 - 16 * index)) & 0xffffn));
}
