import { OVERVIEW_LAYOUT } from '#contracts/layouts/overview.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { REPORT_ROWS } from './dimension-report.js';
import { KIND } from '../ingest/dimension-ids.js';
import { READ_VERSION } from './read-version.js';

const OF_THE_RANGE = `asset_id = $1 AND version = ${READ_VERSION} AND kind = ${KIND.all} AND day BETWEEN $2 AND $3`;

export const overviewExport = tableExport({
  file: 'overview',
  layout: OVERVIEW_LAYOUT,
  limit: REPORT_ROWS,
  sql: (limit) => `
    WITH people AS (
      SELECT day, sum(users) AS users, sum(users) FILTER (WHERE prev_day = '-infinity') AS new_users
        FROM reporting.user_gap WHERE ${OF_THE_RANGE} GROUP BY day
    )
    SELECT day::text AS date, COALESCE(users, 0) AS users, COALESCE(new_users, 0) AS new_users, sessions, pageviews, events,
           conversions, count(*) OVER () AS total
      FROM reporting.rollup_day LEFT JOIN people USING (day)
     WHERE ${OF_THE_RANGE} AND events > 0
     ORDER BY day LIMIT ${limit}`,
});
