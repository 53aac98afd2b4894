import type { Column } from '#csv/column.js';
import type { DisputeSummary, EntityDispute } from '../integrity/entity-dispute.js';

export interface SummaryField {
  field: string;
  value: string | null;
}

/** The fields of block 1, in order, as they stand in their cells. */
export function summaryFields(summary: DisputeSummary): SummaryField[] {
  const cells: { [Field in keyof (DisputeSummary & { currency: string })]: string | null } = {
    entity_id: summary.entity_id,
    entity_type: summary.entity_type,
    network: summary.network,
    asn: summary.asn === null ? null : String(summary.asn),
    asn_org: summary.asn_org,
    network_type: summary.network_type,
    severity: summary.severity,
    ivt_class: summary.ivt_class,
    score: summary.score.toFixed(4),
    window_from: summary.window_from,
    window_to: summary.window_to,
    sessions: String(summary.sessions),
    paid_sessions: String(summary.paid_sessions),
    flagged_sessions: String(summary.flagged_sessions),
    distinct_visitors: String(summary.distinct_visitors),
    distinct_ips: String(summary.distinct_ips),
    conversions: String(summary.conversions),
    channels: summary.channels.map(({ channel, flagged_sessions }) => `${channel}=${flagged_sessions}`).join(';'),
    estimated_wasted: summary.estimated_wasted.map(({ amount }) => amount).join(';'),
    currency: summary.estimated_wasted.map(({ currency }) => currency).join(';'),
    sample_ips: summary.sample_ips.join(' '),
    detector_version: summary.detector_version,
    evidence_hash: summary.evidence_hash,
    chain_verified: String(summary.chain_verified),
  };
  return Object.entries(cells).map(([field, value]) => ({ field, value }));
}

/** Block 1. A value may begin with what others wrote, the organisation or a channel; no number of ours looks like a formula. */
export const DISPUTE_SUMMARY_LAYOUT: readonly Column<SummaryField>[] = [
  { key: 'field', header: 'Field', type: 'id', value: ({ field }) => field },
  { key: 'value', header: 'Value', type: 'text', value: ({ value }) => value },
];

/** Block 2: one cell a reason. */
export const DISPUTE_REASONS_LAYOUT: readonly Column<EntityDispute['reasons'][number]>[] = [
  { key: 'reason', header: 'Reasons', type: 'id', value: ({ code, sentence }) => `${code}: ${sentence}` },
];

/** Block 3. */
export const DISPUTE_DETECTORS_LAYOUT: readonly Column<EntityDispute['detectors'][number]>[] = [
  { key: 'detector', header: 'Detector', type: 'id', value: ({ detector }) => detector },
  { key: 'score', header: 'Score', type: 'decimal', decimals: 4, value: ({ score }) => score },
];
