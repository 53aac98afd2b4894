import { READ_VERSION } from './read-version.js';

/** The document's cap of general reports and of the advanced file. */
export const REPORT_ROWS = 5_000;

/**
 * What happened in the range by the values of one dimension, by `dim_id`. $1 to $3 are the asset and the days. No day has
 * numbers beyond `integer`, and those are summed without `numeric`: the largest reports take half the time.
 */
export function dimensionCounts(kind: number): string {
  return `
      SELECT dim_id, sum(sessions::integer) AS sessions, sum(pageviews::integer) AS pageviews,
             sum(conversions::integer) AS conversions, sum(events::integer) AS events
        FROM reporting.rollup_day
       WHERE asset_id = $1 AND version = ${READ_VERSION} AND kind = ${kind} AND day BETWEEN $2 AND $3
       GROUP BY dim_id`;
}

/** Distinct users of the range by `dim_id`: each counts on the first day inside the range, where the gap reaches before it. */
export function dimensionUsers(kind: number): string {
  return `
      SELECT dim_id, sum(users::integer) AS users
        FROM reporting.user_gap
       WHERE asset_id = $1 AND version = ${READ_VERSION} AND kind = ${kind} AND day BETWEEN $2 AND $3 AND prev_day < $2
       GROUP BY dim_id`;
}

/**
 * The query of a report by one dimension: most sessions first, then by its cells.
 *
 * @param cells names of the dimension's cells, in their order
 */
export function dimensionReport(kind: number, cells: readonly string[]): string {
  const columns = cells.map((name, index) => `cells[${index + 1}] AS ${name}`).join(', ');
  return `
    WITH counts AS (${dimensionCounts(kind)}),
    people AS (${dimensionUsers(kind)})
    SELECT ${columns}, COALESCE(users, 0) AS users, sessions, pageviews, conversions, count(*) OVER () AS total
      FROM counts
      LEFT JOIN people USING (dim_id)
      JOIN reporting.dimension d ON d.asset_id = $1 AND d.dim_id = counts.dim_id
     WHERE users > 0 OR sessions > 0 OR pageviews > 0 OR conversions > 0
     ORDER BY sessions DESC, cells COLLATE "C"`;
}
