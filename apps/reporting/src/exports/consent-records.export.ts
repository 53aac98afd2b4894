import { CONSENT_RECORDS_LAYOUT, type ConsentRow } from '#contracts/layouts/consent-records.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { instantText, localRange } from './local-range.js';

const RECORDS_OF_RANGE = 'reporting.consent WHERE asset_id = $1 AND consent_at >= $2 AND consent_at < $3';

export const consentRecordsExport = tableExport<ConsentRow>({
  file: 'consent-records',
  layout: CONSENT_RECORDS_LAYOUT,
  limit: 50_000,
  looksUp: true,
  sql: (limit) => `
    SELECT consent_id, consent_at, action, accepted, rejected, mode, revision, config_version, locale
      FROM ${RECORDS_OF_RANGE}
     ORDER BY consent_at DESC, consent_id COLLATE "C" LIMIT ${limit}`,
  countSql: `SELECT count(*) AS total FROM ${RECORDS_OF_RANGE}`,
  parameters(request) {
    const { from, until } = localRange(request);
    return [request.assetId, instantText(from), instantText(until)];
  },
  name: 'consent-records',
  title: 'consent records export',
  jsonRows: 'records',
});
