import { TECH_LAYOUT } from '#contracts/layouts/tech.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { dimensionReport, REPORT_ROWS } from './dimension-report.js';
import { KIND } from '../ingest/dimension-ids.js';

export const techExport = tableExport({
  file: 'tech',
  layout: TECH_LAYOUT,
  limit: REPORT_ROWS,
  sql: dimensionReport(KIND.tech, ['browser', 'os']),
});
