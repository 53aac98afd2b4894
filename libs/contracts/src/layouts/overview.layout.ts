import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export const OVERVIEW_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('date', 'date'),
  keyedColumn('users', 'integer'),
  keyedColumn('new_users', 'integer'),
  keyedColumn('sessions', 'integer'),
  keyedColumn('pageviews', 'integer'),
  keyedColumn('events', 'integer'),
  keyedColumn('conversions', 'integer'),
];
