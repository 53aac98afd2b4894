import { createHash } from 'node:crypto';
import type { EntityType } from '#contracts/integrity/severity.js';
import { formatIpv4, formatIpv6, parseAddress, type Address } from './address.js';

export interface EntityRef {
  type: EntityType;
  /** CIDR of a network, address or /64 of a host, AS number as text, 16 hex digits of a visitor. */
  key: string;
}

/** The /24 or /48 around an address, as `203.0.113.0/24` or `2001:db8:1::/48`. */
export function networkKey(address: Address): string {
  return address.version === 4
    ? `${formatIpv4((address.value & 0xffffff00) >>> 0)}/24`
    : `${formatIpv6(address.groups, 3)}/48`;
}

/** What one household or machine has: an IPv4 address as it is, or the /64 around an IPv6 address. */
export function hostKey(address: Address): string {
  return address.version === 4 ? formatIpv4(address.value) : `${formatIpv6(address.groups, 4)}/64`;
}

/** `net-203.0.113.0-24` or `net6-20010db80001-48`. @throws Error for a key that `networkKey` does not write */
export function networkEntityId(net: string): string {
  const [address, bits] = parsePrefixKey(net);
  if (address.version === 4 && bits === 24) return `net-${formatIpv4(address.value)}-24`;
  if (address.version === 6 && bits === 48) return `net6-${paddedHex(address.groups, 3)}-48`;
  throw new Error(`${net} is no key of a network`);
}

/** `host-203.0.113.7` or `host6-20010db800010002-64`. @throws Error for a key that `hostKey` does not write */
export function hostEntityId(host: string): string {
  const [address, bits] = parsePrefixKey(host);
  if (address.version === 4 && bits === undefined) return `host-${formatIpv4(address.value)}`;
  if (address.version === 6 && bits === 64) return `host6-${paddedHex(address.groups, 4)}-64`;
  throw new Error(`${host} is no key of a host`);
}

export function asnEntityId(asn: number): string {
  return `asn-${asn}`;
}

/** `vis-` and the first 16 hex digits of SHA-256(asset id ‖ distinct id), without a separator. */
export function visitorEntityId(assetId: string, distinctId: string): string {
  return `vis-${createHash('sha256').update(assetId).update(distinctId).digest('hex').slice(0, 16)}`;
}

/** The entity that an id stands for; undefined for text that is the canonical id of none. */
export function parseEntityId(id: string): EntityRef | undefined {
  const entity = readEntityId(id);
  if (entity === undefined) return undefined;
  const again =
    entity.type === 'network' ? networkEntityId(entity.key) : entity.type === 'host' ? hostEntityId(entity.key) : id;
  return again === id ? entity : undefined;
}

function readEntityId(id: string): EntityRef | undefined {
  const [, kind, body = ''] = /^(net|net6|host|host6|asn|vis)-([0-9a-f.-]{1,64})$/.exec(id) ?? [];
  switch (kind) {
    case 'asn':
      return /^(0|[1-9]\d{0,9})$/.test(body) && Number(body) < 2 ** 32 ? { type: 'asn', key: body } : undefined;
    case 'vis':
      return /^[0-9a-f]{16}$/.test(body) ? { type: 'visitor', key: body } : undefined;
    case 'net': {
      const address = body.endsWith('-24') ? parseAddress(body.slice(0, -3)) : undefined;
      return address === undefined ? undefined : { type: 'network', key: networkKey(address) };
    }
    case 'host': {
      const address = parseAddress(body);
      return address === undefined ? undefined : { type: 'host', key: hostKey(address) };
    }
    case 'net6': {
      const address = /^[0-9a-f]{12}-48$/.test(body) ? prefixOfHex(body.slice(0, 12)) : undefined;
      return address === undefined ? undefined : { type: 'network', key: networkKey(address) };
    }
    case 'host6': {
      const address = /^[0-9a-f]{16}-64$/.test(body) ? prefixOfHex(body.slice(0, 16)) : undefined;
      return address === undefined ? undefined : { type: 'host', key: hostKey(address) };
    }
    case undefined:
    default:
      return undefined;
  }
}

function prefixOfHex(hex: string): Address {
  const groups = new Uint16Array(8);
  for (let index = 0; index * 4 < hex.length; index++) {
    groups[index] = Number.parseInt(hex.slice(index * 4, index * 4 + 4), 16);
  }
  return { version: 6, groups };
}

function paddedHex(groups: Uint16Array, count: number): string {
  return Array.from(groups.subarray(0, count), (group) => group.toString(16).padStart(4, '0')).join('');
}

function parsePrefixKey(key: string): [Address, number | undefined] {
  const [text = '', bits] = key.split('/');
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${key} is no address or prefix`);
  return [address, bits === undefined ? undefined : Number(bits)];
}
