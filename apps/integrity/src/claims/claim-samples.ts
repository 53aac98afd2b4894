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

/**
 * Addresses of these entries that are still known: most flagged sessions first, then IPv4 before IPv6 and by number; at
 * most ten. A sample that opens no commitment of its entry is left out.
 */
export function sampleIps(
  entries: readonly DetectionEntry[],
  samples: ReadonlyMap<number, readonly RevealedSample[]>,
): string[] {
  const hits = new Map<string, number>();
  for (const { seq, payload } of entries) {
    const commitments = new Map(payload.ip_commit);
    for (const sample of samples.get(seq) ?? []) {
      const hex = commitment(sample);
      const sessions = commitments.get(hex);
      if (sessions === undefined) continue;
      commitments.delete(hex);
      hits.set(sample.ip, (hits.get(sample.ip) ?? 0) + sessions);
    }
  }
  return [...hits]
    .filter(([, sessions]) => sessions > 0)
    .map(([ip, sessions]) => ({ ip, sessions, key: addressKey(ip) }))
    .sort((a, b) => b.sessions - a.sessions || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .slice(0, MOST_SAMPLES)
    .map(({ ip }) => ip);
}

export function samplesBySeq(samples: Iterable<RevealedSample>): Map<number, RevealedSample[]> {
  const bySeq = new Map<number, RevealedSample[]>();
  for (const sample of samples) {
    const known = bySeq.get(sample.seq);
    if (known === undefined) bySeq.set(sample.seq, [sample]);
    else known.push(sample);
  }
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
