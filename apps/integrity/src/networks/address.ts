/** An IPv4 address as a number, or an IPv6 address as eight groups of 16 bits. */
export type Address = { version: 4; value: number } | { version: 6; groups: Uint16Array };

const ZERO = 48;
const NINE = 57;
const DOT = 46;
const COLON = 58;
const LOWER_A = 97;
const LOWER_F = 102;

/**
 * Dotted text as a number of 32 bits, -1 for anything else. Strict like node:net: four decimal parts without leading zeros.
 */
export function parseIpv4(text: string): number {
  return parseDotted(text, 0);
}

function parseDotted(text: string, from: number): number {
  const length = text.length;
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let at = from; at < length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      octet = octet * 10 + digit;
      // Four digits are either too much or begin with a zero.
      if (++digits > 3) return -1;
    } else {
      if (digit !== DOT - ZERO || ++dots > 3 || !isOctet(octet, digits)) return -1;
      value = (value << 8) | octet;
      octet = 0;
      digits = 0;
    }
  }
  return dots === 3 && isOctet(octet, digits) ? ((value << 8) | octet) >>> 0 : -1;
}

function isOctet(octet: number, digits: number): boolean {
  if (digits === 1) return true;
  return digits === 2 ? octet > 9 : digits === 3 && octet > 99 && octet < 256;
}

/**
 * Writes the eight groups of IPv6 text, a dotted end included, and says whether it was an address. Strict like node:net,
 * except that a zone (`%eth0`) is refused: it means something on one machine only. Groups hold rubbish after `false`.
 */
export function parseIpv6(text: string, groups: Uint16Array): boolean {
  const length = text.length;
  if (length < 2 || length > 45) return false;
  let count = 0;
  let gap = -1;
  let at = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return false;
    gap = 0;
    at = 2;
  }
  while (at < length) {
    if (count === 8) return false;
    const start = at;
    let group = 0;
    for (; at < length && at - start < 4; at++) {
      const digit = hexDigit(text.charCodeAt(at));
      if (digit < 0) break;
      group = (group << 4) | digit;
    }
    const next = at < length ? text.charCodeAt(at) : COLON;
    if (next === DOT) {
      const value = count > 6 ? -1 : parseDotted(text, start);
      if (value < 0) return false;
      groups[count++] = value >>> 16;
      groups[count++] = value & 0xffff;
      break;
    }
    if (at === start || next !== COLON) return false;
    groups[count++] = group;
    if (at === length) break;
    at++;
    if (at === length) return false;
    if (text.charCodeAt(at) === COLON) {
      if (gap >= 0) return false;
      gap = count;
      at++;
    }
  }
  if (gap < 0) return count === 8;
  if (count === 8) return false;
  groups.copyWithin(8 - count + gap, gap, count);
  groups.fill(0, gap, 8 - count + gap);
  return true;
}

function hexDigit(code: number): number {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const lower = code | 32;
  return lower >= LOWER_A && lower <= LOWER_F ? lower - LOWER_A + 10 : -1;
}

/** The IPv4 address in an IPv4-mapped one (`::ffff:1.2.3.4`, RFC 4291 2.5.5.2) as a number, else -1. */
export function mappedIpv4(groups: Uint16Array): number {
  if (groups[5] !== 0xffff) return -1;
  for (let index = 0; index < 5; index++) if (groups[index] !== 0) return -1;
  return (((groups[6] ?? 0) << 16) | (groups[7] ?? 0)) >>> 0;
}

/** Undefined for text that is no address. An IPv4-mapped IPv6 address is the IPv4 address it stands for. */
export function parseAddress(text: string): Address | undefined {
  const value = parseIpv4(text);
  if (value >= 0) return { version: 4, value };
  const groups = new Uint16Array(8);
  if (!parseIpv6(text, groups)) return undefined;
  const mapped = mappedIpv4(groups);
  return mapped >= 0 ? { version: 4, value: mapped } : { version: 6, groups };
}

/** Dotted IPv4, or IPv6 in the form of RFC 5952: lower case, the first of the longest runs of zero groups as `::`. */
export function formatAddress(address: Address): string {
  return address.version === 4 ? formatIpv4(address.value) : formatIpv6(address.groups);
}

export function formatIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** With `count` only the first groups count, as if the others were zero. */
export function formatIpv6(groups: Uint16Array, count = 8): string {
  let gap = -1;
  let longest = 1;
  for (let start = 0; start < 8;) {
    let end = start;
    while (end < 8 && (end >= count || groups[end] === 0)) end++;
    if (end - start > longest) {
      longest = end - start;
      gap = start;
    }
    start = end + 1;
  }
  let text = '';
  for (let index = 0; index < 8; index++) {
    if (index === gap) {
      text += '::';
      index += longest - 1;
      continue;
    }
    if (index > 0 && (gap < 0 || index !== gap + longest)) text += ':';
    text += index < count ? (groups[index] as number).toString(16) : '0';
  }
  return text;
}

/** `text` in its canonical form; undefined when it is no address. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address === undefined ? undefined : formatAddress(address);
}
