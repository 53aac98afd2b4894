import { READ_VERSION } from './read-version.js';

/** The document's cap of general reports and of the advanced file. */
export const REPORT_ROWS = 5_000;

/** Numbers of `rollup_day`. */
type Count = 'sessions' | 'pageviews' | 'conversions' | 'events';

/**
 * What happened in the range by the values of one dimension, by `dim_id`. $1 to $3 are the asset and the days. No day has
 * numbers beyond `integer`, and those are summed without `numeric`: the largest reports take half the time.
 */
export function dimensionCounts(kind: number, counts: readonly Count[]): string {
  const sums = counts.map((count) => `sum(${count}::integer) AS ${count}`).join(', ');
  return `
      SELECT dim_id, ${sums}
        FROM reporting.rollup_day
       WHERE asset_id = $1 AND version = ${READ_VERSION} AND kind = ${kind} AND day BETWEEN $2 AND $3
       GROUP BY dim_id`;
}

/**
 * Distinct users of the range by `dim_id`. Each counts on the first day inside the range: that whose day before, of the
 * same person and value, lies outside.
 *
 * @param values the table or CTE with the `dim_id`s that are asked for
 */
export function dimensionUsers(kind: number, values: string): string {
  return `
      SELECT dim_id, sum(users::integer) AS users
        FROM reporting.user_gap JOIN ${values} USING (dim_id)
       WHERE asset_id = $1 AND version = ${READ_VERSION} AND kind = ${kind} AND day BETWEEN $2 AND $3 AND prev_day < $2
       GROUP BY dim_id`;
}

/**
 * The query of a report by one dimension: users and counts, most sessions first, then by its cells. Users are counted only
 * for the rows that stay. A value without an event in the range does not appear.
 *
 * @param cells names of the dimension's cells, in their order
 */
export function dimensionReport(
  kind: number,
  cells: readonly string[],
  counts: readonly Count[] = ['sessions', 'pageviews', 'conversions'],
): (limit: number) => string {
  const columns = cells.map((name, index) => `cells[${index + 1}] AS ${name}`);
  return (limit) => `
    WITH counts AS (${dimensionCounts(kind, [...counts, 'events'])}),
    shown AS MATERIALIZED (
      SELECT counts.*, cells, count(*) OVER () AS total
        FROM counts JOIN reporting.dimension d ON d.asset_id = $1 AND d.dim_id = counts.dim_id
       WHERE events > 0
       ORDER BY sessions DESC, cells COLLATE "C" LIMIT ${limit}
    ), people AS (${dimensionUsers(kind, 'shown')})
    SELECT ${columns.join(', ')}, COALESCE(users, 0) AS users, ${counts.join(', ')}, total
      FROM shown LEFT JOIN people USING (dim_id)
     ORDER BY sessions DESC, cells COLLATE "C"`;
}
