import type { Detector, EntityType, IvtClass, Severity } from '../detection/traffic.js';
import type { NetworkType } from '../networks/network-types.js';

/**
 * What the kinds of ledger entries say. Money, ratios and large integers are texts, because the numbers of canonical JSON
 * are doubles; keys are ASCII; days are `YYYY-MM-DD` in the time zone of the asset.
 */
export interface LedgerPayloads {
  config: {
    detector_version: string;
    /** The limits and weights, by name. */
    limits: Record<string, string>;
    weights: Record<Detector, string>;
    /** Of the ASN data and of configured lists. */
    data_dates: Record<string, string>;
    timezone: string;
  };
  detection: DetectionPayload;
  verdict: {
    entity: string;
    entity_type: EntityType;
    old_severity: Severity;
    new_severity: Severity;
    ivt_class: IvtClass;
    p: string;
    day: string;
    detection: number | null;
  };
  cost_basis: CostBasisPayload;
  /** `added`, `removed`, or `applied` to an entity and day that would have had that severity. */
  allowlist: {
    act: 'added' | 'removed' | 'applied';
    rule: string;
    /** A network, or the network of an address with a commitment as in `entity`; null for an ASN. */
    network: string | null;
    asn: number | null;
    by: string;
    reason: string;
    until: string | null;
    entity?: string;
    day?: string;
    severity?: Severity;
  };
  key_rotation: { old_key: string; new_key: string; signature_old: string; signature_new: string; by: string };
  claim: { export_id: string; evidence: string[]; by: string };
  erasure: { samples: number; before: string; by: string };
}

export interface DetectionPayload {
  /** The entity id; of a host the id of its network, `#` and SHA-256(salt ‖ address) in hex. */
  entity: string;
  entity_type: EntityType;
  day: string;
  window: [string, string];
  channel: string;
  /** null: nothing is known of the channel, it is neither paid nor unpaid. */
  paid: boolean | null;
  asn: number | null;
  asn_org: string | null;
  network_type: NetworkType;
  severity: Severity;
  ivt_class: IvtClass;
  /** Four decimals. */
  p: string;
  counts: {
    sessions: number;
    paid_sessions: number;
    flagged_sessions: number;
    flagged_events: number;
    conversions: number;
  };
  /** Four decimals each, all sixteen. */
  scores: Record<Detector, string>;
  /** Strongest first; contribution with four decimals. */
  reasons: { code: Detector; observed: string; limit: string; contribution: string }[];
  /** At most 10 sample addresses, most flagged sessions first: [SHA-256(salt ‖ address) in hex, flagged sessions]. */
  ip_commit: [string, number][];
  /** Merkle root in hex over digests of the sessions, without addresses. */
  sessions_root: string;
  /** Exact counters were cut. */
  sampled: boolean;
  /** The seq of the detection of the same entity, channel and day that this one replaces. */
  supersedes: number | null;
}

export interface CostBasisPayload {
  channel: string;
  day: string;
  currency: string;
  /** A decimal number, at most six digits behind the point. */
  spend: string;
  /** All sessions of the paid channel on that day, flagged or not. */
  paid_sessions: number;
  import_id: string;
  formula: 'wasted/1';
}

type LedgerKind = keyof LedgerPayloads;

/** An entry to be appended. */
export type NewEntry = { [K in LedgerKind]: { kind: K; payload: LedgerPayloads[K] } }[LedgerKind];

/** The hashed body, before canonicalisation: `{"v":1,"asset":…,"seq":…,"prev":"<hex>","kind":…,"at":"<RFC3339>","payload":{…}}`. */
export interface EntryBody<K extends LedgerKind = LedgerKind> {
  v: 1;
  asset: string;
  seq: number;
  /** entry_hash of the entry before, in hex; of the first SHA-256("genesis:" + asset id). */
  prev: string;
  kind: K;
  at: string;
  payload: LedgerPayloads[K];
}
