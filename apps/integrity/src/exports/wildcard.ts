/** `a.b.c.*` of a /24, the address of a /32, null for IPv6. */
export function wildcardOf(cidr: string): string | null {
  const [address = '', bits] = cidr.split('/');
  if (address.includes(':')) return null;
  return bits === '24' ? `${address.slice(0, address.lastIndexOf('.'))}.*` : address;
}
