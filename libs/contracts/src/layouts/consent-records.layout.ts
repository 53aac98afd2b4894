import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

export type ConsentRow = TableRow & { accepted: readonly string[]; rejected: readonly string[] };

/** The IP address is not among them, hashed or not. */
export const CONSENT_RECORDS_LAYOUT: readonly Column<ConsentRow>[] = [
  keyedColumn('consent_id', 'text'),
  keyedColumn('consent_at', 'timestamp'),
  keyedColumn('action', 'text'),
  categories('accepted'),
  categories('rejected'),
  keyedColumn('mode', 'text'),
  keyedColumn('revision', 'text'),
  keyedColumn('config_version', 'text'),
  keyedColumn('locale', 'text'),
];

/** One cell with spaces between in CSV, a list in JSON. */
function categories(key: 'accepted' | 'rejected'): Column<ConsentRow> {
  return { key, header: key, type: 'text', value: (row) => row[key].join(' '), items: (row) => row[key] };
}
