import type { Column } from '#csv/column.js';

export interface AdvisoryRow {
  asn: number | null;
  asn_org: string | null;
  network_type: string;
  channel: string;
  severity: 'likely' | 'confirmed';
  flagged_sessions: number;
}

/** The platform excludes no addresses; this is what can be done there, the same for every row. */
export const META_RECOMMENDATION =
  'Exclude audience-network and unknown in-app placements, optimise for a deeper event, narrow the audience or location showing the spike, and drop server-side conversion events whose client address lies in this network.';

/** `<service>-meta-network-advisory.csv`: a row per asn, network type, channel and severity. */
export const META_NETWORK_ADVISORY_LAYOUT: readonly Column<AdvisoryRow>[] = [
  { key: 'asn', header: 'asn', type: 'integer', value: ({ asn }) => asn },
  { key: 'asn_org', header: 'asn_org', type: 'text', value: (row) => row.asn_org },
  { key: 'network_type', header: 'network_type', type: 'id', value: (row) => row.network_type },
  { key: 'channel', header: 'channel', type: 'text', value: ({ channel }) => channel },
  { key: 'severity', header: 'severity', type: 'id', value: ({ severity }) => severity },
  { key: 'flagged_sessions', header: 'flagged_sessions', type: 'integer', value: (row) => row.flagged_sessions },
  { key: 'recommendation', header: 'recommendation', type: 'id', value: () => META_RECOMMENDATION },
];
