import type { Column } from '#csv/column.js';

export interface BlocklistRow {
  /** A /24, /32, /48 or /64. */
  cidr: string;
  /** `a.b.c.*` of a /24, the address of a /32; null for IPv6. */
  wildcard: string | null;
  asn: number | null;
  asn_org: string | null;
  network_type: string;
  /** Flagged events in the range. */
  hits: number;
}

/** `<service>-blocklist.csv`: networks, and hosts whose network is not listed; most flagged events first. */
export const BLOCKLIST_LAYOUT: readonly Column<BlocklistRow>[] = [
  { key: 'cidr', header: 'cidr', type: 'id', value: ({ cidr }) => cidr },
  { key: 'wildcard', header: 'wildcard', type: 'id', value: ({ wildcard }) => wildcard },
  { key: 'asn', header: 'asn', type: 'integer', value: ({ asn }) => asn },
  { key: 'asn_org', header: 'asn_org', type: 'text', value: (row) => row.asn_org },
  { key: 'network_type', header: 'network_type', type: 'id', value: (row) => row.network_type },
  { key: 'hits', header: 'hits', type: 'integer', value: ({ hits }) => hits },
];

/** Rows of the file unless `cap` says otherwise, and the most that it can say. */
export const BLOCKLIST_DEFAULT_CAP = 1_000;
export const BLOCKLIST_MAX_CAP = 5_000;
