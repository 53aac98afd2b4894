import { createHash } from 'node:crypto';
import { type DetectionEntry } from './current-entries.js';

const MOST_SAMPLES = 10;

/** What a commitment in `ip_commit` hides; gone after erasure or expiry. */
export interface RevealedSample {
  /** Of the detection entry. */
  seq: number;
  /** 16 bytes, lower-case hex. */
  salt: string;
  /** Canonical, as it was hashed. */
  ip: string;
}

/** SHA-256(salt ‖ address) in hex: how an entry names an address without saying it. */
export function commitment({ salt, ip }: Pick<RevealedSample, 'salt' | 'ip'>): string {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(ip).digest('hex');
}

/** A sample with its commitment. */
interface HashedSample extends RevealedSample {
  hash: string;
}

export type SamplesBySeq = ReadonlyMap<number, readonly HashedSample[]>;

/**
 * Addresses of these entries that are still known: most flagged sessions first, then IPv4 before IPv6 and by number; at
 * most ten. A sample that opens no commitment of its entry is left out.
 */
export function sampleIps(entries: readonly DetectionEntry[], samples: SamplesBySeq): string[] {
  const hits = new Map<string, number>();
  for (const { seq, payload } of entries) {
    const known = samples.get(seq);
    if (known === undefined) continue;
    const committed = new Map(payload.ip_commit);
    for (const { ip, hash } of known) {
      const sessions = committed.get(hash);
      if (sessions === undefined) continue;
      committed.delete(hash);
      hits.set(ip, (hits.get(ip) ?? 0) + sessions);
    }
  }
  return [...hits]
    .filter(([, sessions]) => sessions > 0)
    .map(([ip, sessions]) => ({ ip, sessions, key: addressKey(ip) }))
    .sort((a, b) => b.sessions - a.sessions || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .slice(0, MOST_SAMPLES)
    .map(({ ip }) => ip);
}

/** A claim is made, checked and bundled from one list of samples: it is hashed once. */
const hashed = new WeakMap<readonly RevealedSample[], SamplesBySeq>();

/** @param samples must not change afterwards */
export function samplesBySeq(samples: readonly RevealedSample[]): SamplesBySeq {
  const known = hashed.get(samples);
  if (known !== undefined) return known;
  const bySeq = new Map<number, HashedSample[]>();
  for (const sample of samples) {
    const one = { ...sample, hash: commitment(sample) };
    const others = bySeq.get(sample.seq);
    if (others === undefined) bySeq.set(sample.seq, [one]);
    else others.push(one);
  }
  hashed.set(samples, bySeq);
  return bySeq;
}

/** Sorts as text in the order of addresses: the family, the bits in hex, the text itself. */
function addressKey(ip: string): string {
  const [address = ''] = ip.split('/');
  const bits = address.includes(':')
    ? ipv6Hex(address)
    : address
        .split('.')
        .map((part) => hex(Number(part), 2))
        .join('');
  return `${address.includes(':') ? 6 : 4} ${bits} ${ip}`;
}

/** Canonical text has no IPv4 tail. */
function ipv6Hex(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups.map((group) => group.padStart(4, '0')).join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
