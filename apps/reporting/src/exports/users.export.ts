import { USERS_LAYOUT } from '#contracts/layouts/users.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { READ_VERSION } from './read-version.js';
import { timeText } from './time-text.js';

const SPANS = `reporting.person_span s WHERE s.asset_id = $1 AND s.version = ${READ_VERSION}`;
/** The condition of the indexes that are for this file: every id is. */
const OF_ASSET = 'person_id > 0';

/**
 * Who was there before and after the range is looked for in it; the first and last day of all others say enough. The
 * subquery is a number and not EXISTS, which the planner might answer from all sessions at once.
 */
const SEEN_IN_RANGE = `
  s.first_day <= $3 AND s.last_day >= $2
    AND (s.first_day >= $2 OR s.last_day <= $3
      OR (SELECT 1 FROM reporting.session_part t
           WHERE t.asset_id = $1 AND t.version = s.version AND t.person_id = s.person_id AND t.day BETWEEN $2 AND $3 LIMIT 1) = 1)`;

/** In the order of the file, which is that of an index: the first ones come without a sort of all. */
const PERSON_BY_PERSON = `
  reporting.person p CROSS JOIN LATERAL (
    SELECT first_at FROM ${SPANS} AND s.person_id = p.person_id AND ${SEEN_IN_RANGE} OFFSET 0) s
  WHERE p.asset_id = $1 AND p.${OF_ASSET}`;

const ALL_AT_ONCE = `
  reporting.person p JOIN (SELECT person_id, first_at FROM ${SPANS} AND s.${OF_ASSET} AND ${SEEN_IN_RANGE}) s USING (person_id)
  WHERE p.asset_id = $1`;

/** Persons are read one by one unless so many were not there in the range that most would be looked up in vain. */
const IN_VAIN = 4;

/** Named people with an event in the range. Where no record says since when a person is known, their earliest event does. */
export const usersExport = tableExport({
  file: 'users',
  layout: USERS_LAYOUT,
  limit: 50_000,
  heavy: true,
  sql: (limit, looksUp) => `
    SELECT global_user_id, email, phone, crm_client_id, ${timeText('p.identified_at')} AS identified_at,
           ${timeText('COALESCE(p.first_seen_at, s.first_at)')} AS first_seen_at
      FROM ${looksUp ? PERSON_BY_PERSON : ALL_AT_ONCE}
     ORDER BY p.identified_at DESC NULLS LAST, p.global_user_id COLLATE "C" LIMIT ${limit}`,
  countSql: `SELECT count(*) FILTER (WHERE ${SEEN_IN_RANGE}) AS total, count(*) AS everybody FROM ${SPANS} AND s.${OF_ASSET}`,
  looksUp: ({ total, everybody }) => IN_VAIN * Number(total) >= Number(everybody),
});
