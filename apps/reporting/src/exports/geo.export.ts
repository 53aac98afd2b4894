import { GEO_LAYOUT } from '#contracts/layouts/geo.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { dimensionReport, REPORT_ROWS } from './dimension-report.js';
import { KIND } from '../ingest/dimension-ids.js';

export const geoExport = tableExport({
  file: 'geo',
  layout: GEO_LAYOUT,
  limit: REPORT_ROWS,
  sql: dimensionReport(KIND.geo, ['country', 'region', 'city']),
});
