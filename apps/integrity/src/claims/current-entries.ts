import type { DetectionPayload, LedgerPayloads } from '../ledger/payloads.js';

type ClaimKind = 'detection' | 'cost_basis' | 'config';

/** An entry that files are made of, by its kind. */
export type ClaimEntry = {
  [K in ClaimKind]: {
    readonly seq: number;
    /** entry_hash in lower-case hex. */
    readonly hash: string;
    readonly kind: K;
    readonly payload: LedgerPayloads[K];
  };
}[ClaimKind];

export type DetectionEntry = Extract<ClaimEntry, { kind: 'detection' }>;
export type BasisEntry = Extract<ClaimEntry, { kind: 'cost_basis' }>;
export type ConfigEntry = Extract<ClaimEntry, { kind: 'config' }>;

/** What holds at a checkpoint. */
export interface CurrentEntries {
  /** By seq. */
  detections: readonly DetectionEntry[];
  /** By seq. */
  bases: readonly BasisEntry[];
  /** The newest; undefined: detection has never run. */
  config: ConfigEntry | undefined;
}

/**
 * Reads one stored entry.
 *
 * @param entryHash lower-case hex
 * @returns undefined for a kind that no file is made of
 */
export function readClaimEntry(seq: number, entryHash: string, body: string): ClaimEntry | undefined {
  const { kind, payload } = JSON.parse(body) as { kind: string; payload: unknown };
  if (kind !== 'detection' && kind !== 'cost_basis' && kind !== 'config') return undefined;
  // Bodies are written by the ledger alone, from the types of payloads.ts.
  return { seq, hash: entryHash, kind, payload } as ClaimEntry;
}

/**
 * The entries that hold at a checkpoint of this size: detections that no other of them supersedes, the newest cost basis
 * per channel, day and currency, the newest config. An entry behind the checkpoint can't be proven and does not count,
 * neither as evidence nor as a successor.
 *
 * An entry and its successors are of one local day: the entries of a range of days are enough, with all `config` ones.
 *
 * @param entries in any order
 */
export function currentEntries(entries: Iterable<ClaimEntry>, size: number): CurrentEntries {
  const superseded = new Set<number>();
  const detections = new Map<string, DetectionEntry>();
  const bases = new Map<string, BasisEntry>();
  let config: ConfigEntry | undefined;
  for (const entry of entries) {
    if (entry.seq > size) continue;
    switch (entry.kind) {
      case 'detection':
        if (entry.payload.supersedes !== null) superseded.add(entry.payload.supersedes);
        keepNewest(detections, detectionKey(entry.payload), entry);
        break;
      case 'cost_basis': {
        const { channel, day, currency } = entry.payload;
        keepNewest(bases, JSON.stringify([channel, day, currency]), entry);
        break;
      }
      case 'config':
        if (config === undefined || entry.seq > config.seq) config = entry;
    }
  }
  return {
    detections: [...detections.values()].filter(({ seq }) => !superseded.has(seq)).sort(bySeq),
    bases: [...bases.values()].sort(bySeq),
    config,
  };
}

/**
 * Two detections with one key would count their sessions twice. A channel can be paid in some sessions and unpaid in others;
 * a visitor has one per ASN and network type.
 */
function detectionKey(detection: DetectionPayload): string {
  const { entity, entity_type, channel, paid, day, asn, network_type } = detection;
  return JSON.stringify([entity, channel, paid, day, ...(entity_type === 'visitor' ? [asn, network_type] : [])]);
}

function keepNewest<Entry extends { seq: number }>(entries: Map<string, Entry>, key: string, entry: Entry): void {
  const known = entries.get(key);
  if (known === undefined || known.seq < entry.seq) entries.set(key, entry);
}

export function bySeq(a: { seq: number }, b: { seq: number }): number {
  return a.seq - b.seq;
}
