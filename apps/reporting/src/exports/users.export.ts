import { USERS_LAYOUT } from '#contracts/layouts/users.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { READ_VERSION } from './read-version.js';

/**
 * Who was there before and after the range is looked for in it; the first and last day of all others say enough. The
 * subquery is a number and not EXISTS, which the planner might answer from all sessions at once.
 */
const SEEN_IN_RANGE = `
  reporting.person p JOIN reporting.person_span s USING (asset_id, person_id)
  WHERE p.asset_id = $1 AND s.version = ${READ_VERSION} AND s.first_day <= $3 AND s.last_day >= $2
    AND (s.first_day >= $2 OR s.last_day <= $3
      OR (SELECT 1 FROM reporting.session_part t
           WHERE t.asset_id = $1 AND t.version = s.version AND t.person_id = s.person_id AND t.day BETWEEN $2 AND $3 LIMIT 1) = 1)`;

/** Named people with an event in the range. Where no record says since when a person is known, their earliest event does. */
export const usersExport = tableExport({
  file: 'users',
  layout: USERS_LAYOUT,
  limit: 50_000,
  heavy: true,
  sql: (limit) => `
    SELECT global_user_id, email, phone, crm_client_id, identified_at, COALESCE(first_seen_at, first_at) AS first_seen_at
      FROM ${SEEN_IN_RANGE}
     ORDER BY identified_at DESC NULLS LAST, global_user_id COLLATE "C" LIMIT ${limit}`,
  countSql: `SELECT count(*) AS total FROM ${SEEN_IN_RANGE}`,
});
