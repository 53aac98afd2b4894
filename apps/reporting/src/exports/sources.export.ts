import { SOURCES_LAYOUT } from '#contracts/layouts/sources.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { dimensionReport, REPORT_ROWS } from './dimension-report.js';
import { KIND } from '../ingest/dimension-ids.js';

export const sourcesExport = tableExport({
  file: 'sources',
  layout: SOURCES_LAYOUT,
  limit: REPORT_ROWS,
  sql: dimensionReport(KIND.source, ['source', 'medium']),
});
