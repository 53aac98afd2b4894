import type { RowReader } from '#database/modeling/row-reader.js';
import { exchangeSql, type Exchange } from './exchange.js';

/** What one spelling of a channel cost in one week and currency. */
export interface CostWeek {
  channel: string;
  currency: string;
  weekEnd: string;
  /** A decimal number of at most six decimals, in the currency of the exchange if there is one. */
  spend: string;
  rows: number;
  firstDay: string;
  lastDay: string;
  /** Rows with spend that no rate was found for; they are not in `spend`. */
  unrated: number;
}

/** Cost rows by day. Both indexes of the table are partial: without their conditions all of it would be read. */
export function costRowsSql(columns: string, where: string): string {
  return ['long_key IS NULL', 'long_key IS NOT NULL']
    .map((ofIndex) => `SELECT ${columns} FROM imports.cost_row WHERE asset_id = $1 AND ${where} AND ${ofIndex}`)
    .join(' UNION ALL ');
}

const { factor, joins } = exchangeSql({ currency: 'c.currency', day: 'c.date' }, { into: '$4', common: '$5::text' });

// By day first: rates are joined to days, not to a million rows.
const COST_WEEKS = `
  WITH c AS (
    SELECT channel, currency, date, sum(cost) AS cost, count(*) AS rows, count(*) FILTER (WHERE cost > 0) AS paid
      FROM (${costRowsSql('channel, currency, date, cost', 'date BETWEEN $2 AND $3')}) AS cost
     GROUP BY channel, currency, date
  ), rated AS (
    SELECT c.*, c.date + (7 - extract(isodow FROM c.date)::integer) AS week_end, ${factor} AS factor FROM c ${joins}
  )
  SELECT channel, currency, to_char(week_end, 'YYYY-MM-DD') AS "weekEnd",
         coalesce(round(sum(cost * factor), 6), 0)::text AS spend, sum(rows)::integer AS rows,
         to_char(min(date), 'YYYY-MM-DD') AS "firstDay", to_char(max(date), 'YYYY-MM-DD') AS "lastDay",
         coalesce(sum(paid) FILTER (WHERE factor IS NULL), 0)::integer AS unrated
    FROM rated GROUP BY channel, currency, week_end`;

/** Costs by spelling, currency and week, in no order. */
export async function readCostWeeks(
  read: RowReader,
  assetId: string,
  { from, to }: { from: string; to: string },
  { into, common }: Exchange,
): Promise<CostWeek[]> {
  return read<CostWeek>(COST_WEEKS, [assetId, from, to, into, common]);
}

/** The first and the last day with a cost row, up to a day. */
export async function readCostSpan(
  read: RowReader,
  assetId: string,
  to: string,
): Promise<{ first: string; last: string } | undefined> {
  const [span] = await read<{ first: string | null; last: string | null }>(
    `SELECT to_char(min(date), 'YYYY-MM-DD') AS first, to_char(max(date), 'YYYY-MM-DD') AS last
       FROM (${costRowsSql('min(date) AS date', 'date <= $2')} UNION ALL ${costRowsSql('max(date)', 'date <= $2')}) AS ends`,
    [assetId, to],
  );
  return span?.first == null || span.last === null ? undefined : { first: span.first, last: span.last };
}
