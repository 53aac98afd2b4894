import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { exchangeSql, type Exchange } from './exchange.js';

/** The target in one week and currency. */
export interface OutcomeWeek {
  weekEnd: string;
  /** Of a revenue target; else empty. */
  currency: string;
  /** A decimal number of at most six decimals, in the currency of the exchange if there is one; refunds are negative. */
  value: string;
  /** Days with a value. */
  days: number;
  /** Days with a value that no rate was found for; they are not in `value`. */
  unrated: number;
}

/** What happened at all in a week. */
export interface EventWeek {
  weekEnd: string;
  events: number;
  conversions: number;
}

const WEEK_END = `day + (7 - extract(isodow FROM day)::integer)`;

const { factor, joins } = exchangeSql({ currency: 'o.currency', day: 'o.day' }, { into: '$4', common: '$5::text' });

const OUTCOME_WEEKS = `
  WITH o AS (
    SELECT day, CASE WHEN target = 'revenue' THEN coalesce(nullif(currency, ''), $6) ELSE '' END AS currency, sum(value) AS value
      FROM reporting.outcome_day WHERE asset_id = $1 AND target = $2 AND day <= $3 GROUP BY 1, 2
  ), rated AS (
    SELECT o.*, ${WEEK_END.replaceAll('day', 'o.day')} AS week_end, ${factor} AS factor FROM o ${joins}
  )
  SELECT to_char(week_end, 'YYYY-MM-DD') AS "weekEnd", currency,
         coalesce(round(sum(value * factor), 6), 0)::text AS value,
         (count(*) FILTER (WHERE value <> 0))::integer AS days,
         (count(*) FILTER (WHERE factor IS NULL AND value <> 0))::integer AS unrated
    FROM rated GROUP BY week_end, currency`;

/** The target by week and currency up to a day, in no order. */
export async function readOutcomeWeeks(
  read: RowReader,
  { assetId, target, to, currency }: { assetId: string; target: string; to: string; currency: string },
  { into, common }: Exchange,
): Promise<OutcomeWeek[]> {
  return read<OutcomeWeek>(OUTCOME_WEEKS, [assetId, target, to, into, common, currency]);
}

/** Weeks with any event up to a day, in no order. */
export async function readEventWeeks(read: RowReader, assetId: string, to: string): Promise<EventWeek[]> {
  return read<EventWeek>(
    `SELECT to_char(${WEEK_END}, 'YYYY-MM-DD') AS "weekEnd", sum(events)::float8 AS events, sum(value)::float8 AS conversions
       FROM reporting.outcome_day WHERE asset_id = $1 AND target = 'conversions' AND day <= $2
      GROUP BY 1 HAVING sum(events) > 0`,
    [assetId, to],
  );
}

/** Millionths of the target by week. */
export function outcomeByWeek(rows: readonly OutcomeWeek[]): Map<string, bigint> {
  const weeks = new Map<string, bigint>();
  for (const { weekEnd, value } of rows) weeks.set(weekEnd, (weeks.get(weekEnd) ?? 0n) + signedMillionths(value));
  return weeks;
}

/** Revenue per conversion in the weeks of the window whose outcome is known; null when one of the two is not above 0. */
export function averageOrderValue(
  weeks: readonly string[],
  revenue: readonly (number | null)[],
  events: readonly EventWeek[],
): number | null {
  const conversions = new Map(events.map((week) => [week.weekEnd, week.conversions]));
  let [sum, count] = [0, 0];
  weeks.forEach((week, index) => {
    sum += revenue[index] ?? 0;
    count += conversions.get(week) ?? 0;
  });
  return sum > 0 && count > 0 ? sum / count : null;
}

/** Whether the target occurs at all, in the current week too. */
export async function targetOccurs(read: RowReader, assetId: string, target: string): Promise<boolean> {
  const [found] = await read<{ occurs: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM reporting.outcome_day WHERE asset_id = $1 AND target = $2) AS occurs`,
    [assetId, target],
  );
  return found?.occurs ?? false;
}
