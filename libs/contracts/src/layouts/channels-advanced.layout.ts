import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export const CHANNELS_ADVANCED_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('channel', 'text', { header: 'Channel' }),
  keyedColumn('channel_type', 'text', { header: 'Channel Type' }),
  keyedColumn('source', 'text', { header: 'Source' }),
  keyedColumn('medium', 'text', { header: 'Medium' }),
  keyedColumn('campaign', 'text', { header: 'Campaign' }),
  keyedColumn('users', 'integer', { header: 'Users' }),
  keyedColumn('sessions', 'integer', { header: 'Sessions' }),
  keyedColumn('pageviews', 'integer', { header: 'Pageviews' }),
];
