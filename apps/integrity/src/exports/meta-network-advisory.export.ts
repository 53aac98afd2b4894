import { META_NETWORK_ADVISORY_LAYOUT, type AdvisoryRow } from '#contracts/layouts/meta-network-advisory.layout.js';
import { rowsExport } from './rows-export.js';

export const metaNetworkAdvisoryExport = rowsExport<AdvisoryRow>({
  file: 'meta-network-advisory',
  layout: META_NETWORK_ADVISORY_LAYOUT,
  name: 'meta-network-advisory',
  async rows(snapshot, { assetId, parameters: { from, to } }) {
    const rows = await snapshot.query<
      Omit<AdvisoryRow, 'asn' | 'flagged_sessions'> & { asn: string | null; flagged_sessions: string }
    >(ADVISORY, [assetId, from, to]);
    return {
      rows: rows.map((row) => ({
        ...row,
        asn: row.asn === null ? null : Number(row.asn),
        flagged_sessions: Number(row.flagged_sessions),
      })),
      limit: null,
      truncated: 0,
    };
  },
});

/** One confirmed day makes all flagged sessions of the entity in the range confirmed. */
const ADVISORY = `
  SELECT asn, (array_agg(asn_org ORDER BY ledger_seq DESC))[1] AS asn_org, network_type, channel,
         CASE WHEN is_confirmed THEN 'confirmed' ELSE 'likely' END AS severity, sum(flagged_sessions) AS flagged_sessions
    FROM (SELECT *, bool_or(severity = 'confirmed') OVER (PARTITION BY entity_id) AS is_confirmed
            FROM integrity.ivt_verdict
           WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND superseded_by IS NULL AND severity IN ('likely', 'confirmed')
             AND entity_type IN ('network', 'host') AND network_type <> 'reserved') AS flagged
   GROUP BY asn, network_type, channel, is_confirmed
  HAVING sum(flagged_sessions) > 0
   ORDER BY is_confirmed DESC, sum(flagged_sessions) DESC, asn NULLS LAST, channel COLLATE "C", network_type COLLATE "C"`;
