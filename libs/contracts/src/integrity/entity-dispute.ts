import type { EntityType, Severity } from './severity.js';

/** What is known of an entity in a range: the dispute file, as CSV in three blocks and as JSON. */
export interface EntityDispute {
  summary: DisputeSummary;
  /** Strongest first. */
  reasons: readonly { code: string; sentence: string }[];
  /** All detectors in their order, with the score of the strongest window, 0 to 1. */
  detectors: readonly { detector: string; score: number }[];
}

export interface DisputeSummary {
  entity_id: string;
  entity_type: EntityType;
  /** The /24 or /48, of a host the one around it; null for other types. */
  network: string | null;
  /** Null: unknown. */
  asn: number | null;
  asn_org: string | null;
  network_type: string;
  severity: Severity;
  /** Null while nothing is suspected. */
  ivt_class: 'GIVT' | 'SIVT' | null;
  /** Of the strongest window, 0 to 1. */
  score: number;
  /** First and last second of the days that count, RFC 3339 in UTC. */
  window_from: string;
  window_to: string;
  sessions: number;
  paid_sessions: number;
  flagged_sessions: number;
  distinct_visitors: number;
  distinct_ips: number;
  conversions: number;
  /** With flagged sessions, most first. */
  channels: readonly { channel: string; flagged_sessions: number }[];
  /** Amounts with two decimals, one per currency; one of 0.00 without cost data. */
  estimated_wasted: readonly { amount: string; currency: string }[];
  /** At most ten that are still kept. */
  sample_ips: readonly string[];
  detector_version: string | null;
  /** Null without an entry in the ledger. */
  evidence_hash: string | null;
  chain_verified: boolean;
}
