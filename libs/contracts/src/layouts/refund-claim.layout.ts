import type { Column } from '#csv/column.js';

/** One row of the refund claim. What is text here has its final form: the evidence says the same, character by character. */
export interface RefundClaimRow {
  /** Null: unknown. */
  asn: number | null;
  asn_org: string | null;
  network_type: string;
  channel: string;
  severity: 'likely' | 'confirmed';
  flagged_sessions: number;
  /** First and last second of the supporting local days, RFC 3339 in UTC. */
  window_from: string;
  window_to: string;
  /** Two decimals. */
  estimated_wasted: string;
  currency: string;
  reasons: readonly string[];
  sample_ips: readonly string[];
  evidence_hash: string;
  chain_verified: boolean;
}

/** Refund claim: `<service>-fraud-refund-claim.csv`. */
export const REFUND_CLAIM_LAYOUT: readonly Column<RefundClaimRow>[] = [
  { key: 'asn', header: 'asn', type: 'integer', value: (row) => row.asn },
  { key: 'asn_org', header: 'asn_org', type: 'text', value: (row) => row.asn_org },
  { key: 'network_type', header: 'network_type', type: 'id', value: (row) => row.network_type },
  { key: 'channel', header: 'channel', type: 'text', value: (row) => row.channel },
  { key: 'severity', header: 'severity', type: 'id', value: (row) => row.severity },
  { key: 'flagged_sessions', header: 'flagged_sessions', type: 'integer', value: (row) => row.flagged_sessions },
  { key: 'window_from', header: 'window_from', type: 'timestamp', value: (row) => row.window_from },
  { key: 'window_to', header: 'window_to', type: 'timestamp', value: (row) => row.window_to },
  {
    key: 'estimated_wasted',
    header: 'estimated_wasted',
    type: 'decimal',
    decimals: 2,
    value: (row) => row.estimated_wasted,
  },
  { key: 'currency', header: 'currency', type: 'id', value: (row) => row.currency },
  {
    key: 'reasons',
    header: 'reasons',
    type: 'id',
    value: (row) => row.reasons.join(';'),
    items: (row) => row.reasons,
  },
  {
    key: 'sample_ips',
    header: 'sample_ips',
    type: 'id',
    value: (row) => row.sample_ips.join(' '),
    items: (row) => row.sample_ips,
  },
  { key: 'evidence_hash', header: 'evidence_hash', type: 'id', value: (row) => row.evidence_hash },
  { key: 'chain_verified', header: 'chain_verified', type: 'boolean', value: (row) => row.chain_verified },
];
