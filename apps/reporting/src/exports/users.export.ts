import { USERS_LAYOUT } from '#contracts/layouts/users.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { READ_VERSION } from './read-version.js';

const PARTS_OF_PERSON = `reporting.session_part WHERE asset_id = $1 AND version = ${READ_VERSION} AND person_id = p.person_id`;

const SEEN_IN_RANGE = `
  reporting.person p
  WHERE p.asset_id = $1 AND EXISTS (SELECT 1 FROM ${PARTS_OF_PERSON} AND day BETWEEN $2 AND $3)`;

/**
 * Named people with an event in the range. Where no record says since when a person is known, their earliest event does;
 * it is of their first local day or, where clocks go back over midnight, of the next.
 */
export const usersExport = tableExport({
  file: 'users',
  layout: USERS_LAYOUT,
  limit: 50_000,
  heavy: true,
  looksUp: true,
  sql: (limit) => `
    SELECT global_user_id, email, phone, crm_client_id, identified_at,
           COALESCE(first_seen_at, (SELECT min(first_at) FROM ${PARTS_OF_PERSON}
             AND day <= (SELECT min(day) FROM ${PARTS_OF_PERSON}) + 1)) AS first_seen_at
      FROM ${SEEN_IN_RANGE}
     ORDER BY identified_at DESC NULLS LAST, global_user_id COLLATE "C" LIMIT ${limit}`,
  countSql: `SELECT count(*) AS total FROM ${SEEN_IN_RANGE}`,
});
