import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export const GEO_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('country', 'text'),
  keyedColumn('region', 'text'),
  keyedColumn('city', 'text'),
  keyedColumn('users', 'integer'),
  keyedColumn('sessions', 'integer'),
  keyedColumn('pageviews', 'integer'),
  keyedColumn('conversions', 'integer'),
];
