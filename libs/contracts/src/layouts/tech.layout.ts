import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export const TECH_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('browser', 'text'),
  keyedColumn('os', 'text'),
  keyedColumn('users', 'integer'),
  keyedColumn('sessions', 'integer'),
  keyedColumn('pageviews', 'integer'),
  keyedColumn('conversions', 'integer'),
];
