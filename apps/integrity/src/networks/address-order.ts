import { parseAddress } from './address.js';

/**
 * Orders addresses and prefixes (`203.0.113.7`, `2001:db8::/64`) by number, IPv4 first; a shorter prefix before what it
 * holds. Text that is none comes last.
 */
export function compareAddresses(a: string, b: string): number {
  const [left, right] = [addressSortKey(a), addressSortKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Text that sorts as the addresses do, for lists that are too long to parse at each comparison. */
export function addressSortKey(text: string): string {
  const [address = '', bits = '999'] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined) return `9${text}`;
  const digits =
    parsed.version === 4
      ? parsed.value.toString(16).padStart(8, '0')
      : Array.from(parsed.groups, (group) => group.toString(16).padStart(4, '0')).join('');
  return `${parsed.version}${digits}/${bits.padStart(3, '0')}`;
}
