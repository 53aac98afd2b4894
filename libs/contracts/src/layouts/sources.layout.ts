import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export const SOURCES_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('source', 'text'),
  keyedColumn('medium', 'text'),
  keyedColumn('users', 'integer'),
  keyedColumn('sessions', 'integer'),
  keyedColumn('pageviews', 'integer'),
  keyedColumn('conversions', 'integer'),
];
