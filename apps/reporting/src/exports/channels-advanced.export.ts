import { CHANNELS_ADVANCED_LAYOUT } from '#contracts/layouts/channels-advanced.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { dimensionReport, REPORT_ROWS } from './dimension-report.js';
import { KIND } from '../ingest/dimension-ids.js';

export const channelsAdvancedExport = tableExport({
  file: 'channels-advanced',
  layout: CHANNELS_ADVANCED_LAYOUT,
  limit: REPORT_ROWS,
  sql: dimensionReport(
    KIND.campaign,
    ['channel', 'channel_type', 'source', 'medium', 'campaign'],
    ['sessions', 'pageviews'],
  ),
  title: 'channels export',
  isPresented: true,
});
