import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

/** `raw-events.csv`; the keys are columns of `reporting.event`. The `ip` is checked to be one, so it is never a formula. */
export const RAW_EVENTS_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('event_time', 'timestamp'),
  keyedColumn('event_type', 'text'),
  keyedColumn('event_name', 'text'),
  keyedColumn('distinct_id', 'text'),
  keyedColumn('global_user_id', 'text'),
  keyedColumn('page_host', 'text'),
  keyedColumn('page_path', 'text'),
  keyedColumn('ft_channel', 'text'),
  keyedColumn('ft_source', 'text'),
  keyedColumn('lt_channel', 'text'),
  keyedColumn('ip', 'id'),
  keyedColumn('geo_country', 'text'),
  keyedColumn('geo_region', 'text'),
  keyedColumn('geo_city', 'text'),
  keyedColumn('ua_browser', 'text'),
  keyedColumn('ua_os', 'text'),
];
