import type { Column } from '#csv/column.js';

export interface GoogleExclusionRow {
  /** `a.b.c.*` */
  address: string;
}

/** `<service>-google-ads-ip-exclusions.csv`: IPv4 networks, most flagged events first. */
export const GOOGLE_IP_EXCLUSIONS_LAYOUT: readonly Column<GoogleExclusionRow>[] = [
  { key: 'ip_address', header: 'IP address', type: 'id', value: ({ address }) => address },
];

/** What one campaign takes. */
export const GOOGLE_IP_EXCLUSIONS_LIMIT = 500;
