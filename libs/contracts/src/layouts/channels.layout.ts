import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export const CHANNELS_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('channel', 'text'),
  keyedColumn('channel_type', 'text'),
  keyedColumn('users', 'integer'),
  keyedColumn('sessions', 'integer'),
  keyedColumn('pageviews', 'integer'),
  keyedColumn('conversions', 'integer'),
  keyedColumn('spend', 'decimal', { decimals: 2 }),
  keyedColumn('currency', 'text'),
  keyedColumn('reported_revenue', 'decimal', { decimals: 2 }),
  keyedColumn('reported_roas', 'decimal', { decimals: 2 }),
];

/** Left out for members with the cost data restriction. */
export const CHANNELS_COST_KEYS: readonly string[] = ['spend', 'currency', 'reported_revenue', 'reported_roas'];
