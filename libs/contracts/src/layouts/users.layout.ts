import { keyedColumn, type Column, type TableRow } from '#csv/column.js';

/** A phone number as people write it; it begins with + but is no formula. */
const PHONE_NUMBER = /^\+[\d ().-]+$/;

export const USERS_LAYOUT: readonly Column<TableRow>[] = [
  keyedColumn('global_user_id', 'text'),
  keyedColumn('email', 'text'),
  keyedColumn('phone', 'text', { neverFormula: PHONE_NUMBER }),
  keyedColumn('crm_client_id', 'text'),
  keyedColumn('first_seen_at', 'timestamp'),
  keyedColumn('identified_at', 'timestamp'),
];
