import type { GeoLevel } from '#contracts/modeling/lift-test.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { numberOf } from './amount.js';
import { exchangeSql, type Exchange } from './exchange.js';
import { placeColumns, type Place } from './places.js';

/** A target on one day in one group of places (0: treated; then the controls), in one currency. */
export interface SeriesDay {
  group: number;
  day: string;
  /** Of revenue; else empty. */
  currency: string;
  /** Decimal numbers, in the currency of the exchange if there is one. */
  value: string;
  organic: string;
  /** A rate is missing, so that the amounts are not in `value`. */
  unrated: boolean;
}

/** What happened at all on a day. */
export interface EventDay {
  day: string;
  /** Of the asset, and of its treated places. */
  events: number;
  treatedEvents: number;
  treatedConversions: number;
}

/** Which rows make a series: of places, each with its group, or of the whole asset. */
export interface SeriesScope {
  assetId: string;
  from: string;
  to: string;
  /** Null: all rows are group 0. */
  places: { level: GeoLevel; groups: readonly { group: number; place: Place }[] } | null;
}

const { factor, joins } = exchangeSql({ currency: 'o.currency', day: 'o.day' }, { into: '$6', common: '$7::text' });

/** A target by group, day and currency, in no order. */
export async function readSeries(
  read: RowReader,
  scope: SeriesScope,
  target: string,
  { home, into, common }: Exchange & { home: string },
): Promise<SeriesDay[]> {
  const { source, group, parameters } = rowsOf(scope, 8);
  return read<SeriesDay>(
    `WITH o AS (
       SELECT ${group} AS "group", r.day, CASE WHEN r.target = 'revenue' THEN coalesce(nullif(r.currency, ''), $5) ELSE '' END AS currency,
              sum(r.value)::numeric AS value, sum(r.organic_value)::numeric AS organic
         FROM ${source} WHERE r.asset_id = $1 AND r.target = $2 AND r.day BETWEEN $3 AND $4 GROUP BY 1, 2, 3)
     SELECT o."group", to_char(o.day, 'YYYY-MM-DD') AS day, o.currency,
            coalesce(round(o.value * o.factor, 6), 0)::text AS value, coalesce(round(o.organic * o.factor, 6), 0)::text AS organic,
            o.factor IS NULL AND (o.value <> 0 OR o.organic <> 0) AS unrated
       FROM (SELECT o.*, ${factor} AS factor FROM o ${joins}) AS o`,
    [scope.assetId, target, scope.from, scope.to, home, into, common, ...parameters],
  );
}

/** Days with any event of the asset, in no order. */
export async function readEventDays(read: RowReader, scope: SeriesScope): Promise<EventDay[]> {
  const level = scope.places?.level ?? null;
  const treated = scope.places?.groups.filter(({ group }) => group === 0).map(({ place }) => place) ?? [];
  const isTreated =
    level === null ? 'true' : `(${placeColumns(level).join(', ')}) IN (SELECT * FROM unnest(${arrays(level, 4)}))`;
  return read<EventDay>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(events)::float8 AS events,
            coalesce(sum(events) FILTER (WHERE ${isTreated}), 0)::float8 AS "treatedEvents",
            coalesce(sum(value) FILTER (WHERE ${isTreated}), 0)::float8 AS "treatedConversions"
       FROM reporting.outcome_day
      WHERE asset_id = $1 AND target = 'conversions' AND day BETWEEN $2 AND $3 GROUP BY day HAVING sum(events) > 0`,
    [scope.assetId, scope.from, scope.to, ...(level === null ? [] : namesByColumn(level, treated))],
  );
}

/** Whether last touch gives anything to unpaid channels: without attribution nothing is known of what is organic. */
export async function hasAttribution(
  read: RowReader,
  { assetId, from, to }: SeriesScope,
  target: string,
): Promise<boolean> {
  const [found] = await read<{ known: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM reporting.outcome_day
                     WHERE asset_id = $1 AND target = ANY($4) AND day BETWEEN $2 AND $3 AND organic_value <> 0) AS known`,
    [assetId, from, to, ['conversions', target]],
  );
  return found?.known ?? false;
}

/**
 * Rows as one series per group, 0 on days without a row: whether events were tracked then is for others to say.
 *
 * @returns `values` and `organic`, by group and day
 */
export function seriesOf(
  rows: readonly SeriesDay[],
  days: readonly string[],
  groups: number,
): { values: number[][]; organic: number[][] } {
  const at = new Map(days.map((day, index) => [day, index]));
  const empty = (): bigint[][] => Array.from({ length: groups }, () => days.map(() => 0n));
  const [values, organic] = [empty(), empty()];
  for (const row of rows) {
    const index = at.get(row.day);
    if (index === undefined) continue;
    add(values[row.group], index, row.value);
    add(organic[row.group], index, row.organic);
  }
  return { values: values.map((one) => one.map(numberOf)), organic: organic.map((one) => one.map(numberOf)) };
}

function add(series: bigint[] | undefined, index: number, amount: string): void {
  if (series !== undefined) series[index] = (series[index] ?? 0n) + signedMillionths(amount);
}

/** SQL: rows of `outcome_day` as `r`, with the number of their group. */
function rowsOf({ places }: SeriesScope, parameter: number): { source: string; group: string; parameters: unknown[] } {
  if (places === null) return { source: 'reporting.outcome_day r', group: '0', parameters: [] };
  const { level, groups } = places;
  const columns = placeColumns(level);
  const next = parameter + columns.length;
  return {
    source: `reporting.outcome_day r JOIN unnest(${arrays(level, parameter)}, $${next}::integer[]) AS p (${columns.join(', ')}, number)
       ON ${columns.map((column) => `r.${column} = p.${column}`).join(' AND ')}`,
    group: 'p.number',
    parameters: [
      ...namesByColumn(
        level,
        groups.map(({ place }) => place),
      ),
      groups.map(({ group }) => group),
    ],
  };
}

/** SQL: one array of names for each column of the level, from the parameter on. */
function arrays(level: GeoLevel, parameter: number): string {
  return placeColumns(level)
    .map((_, index) => `$${parameter + index}::text[]`)
    .join(', ');
}

function namesByColumn(level: GeoLevel, places: readonly Place[]): string[][] {
  return placeColumns(level).map((_, index) => places.map((place) => place[index] ?? ''));
}
