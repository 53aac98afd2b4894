import type { GeoLevel, LiftRequest } from '#contracts/modeling/lift-test.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { byText } from './amount.js';
import { isNamedSql, nameOf, pathOf, placeColumns, type Place } from './places.js';

/** A place needs a value on this share of the days before the test. */
const LEAST_DAYS = 0.8;
const MOST_CONTROLS = 100;

/** A place of the level as it was before the test. */
export interface PlaceBefore {
  place: Place;
  /** Sum of the metric: a decimal number. */
  total: string;
  /** Days with a value. */
  days: number;
  /** Whether another test treats it, a part of it, or what it is a part of. */
  treated: boolean;
}

export interface NamedPlace {
  name: string;
  place: Place;
}

/**
 * Places that serve as controls when none are named: with a value on at least 80 % of the days, not treated, the 100
 * largest.
 *
 * @param trackedDays days before the test with any event of the asset
 * @returns by name, the path where two places of the level have one name; and those that only another test rules out
 */
export function chooseControls(
  places: readonly PlaceBefore[],
  treated: readonly Place[],
  trackedDays: number,
): { controls: NamedPlace[]; dropped: { control: string; reason: string }[] } {
  const counts = new Map<string, number>();
  for (const { place } of places) counts.set(nameOf(place), (counts.get(nameOf(place)) ?? 0) + 1);
  const own = new Set(treated.map(pathOf));
  const fit = places
    .filter(({ place, days }) => !own.has(pathOf(place)) && days > 0 && days >= LEAST_DAYS * trackedDays)
    .map(({ place, total, treated: isTreated }) => ({
      name: (counts.get(nameOf(place)) ?? 0) > 1 ? pathOf(place) : nameOf(place),
      place,
      total: signedMillionths(total),
      isTreated,
    }))
    .sort((a, b) => (a.total === b.total ? byText(a.name, b.name) : a.total > b.total ? -1 : 1));
  const byName = (a: NamedPlace, b: NamedPlace): number => byText(a.name, b.name);
  return {
    controls: fit
      .filter(({ isTreated }) => !isTreated)
      .slice(0, MOST_CONTROLS)
      .map(({ name, place }) => ({ name, place }))
      .sort(byName),
    dropped: fit
      .filter(({ isTreated }) => isTreated)
      .sort(byName)
      .map(({ name }) => ({ control: name, reason: 'overlapping_test' })),
  };
}

/** Names of places, by level, that other tests treat in the window of this one, tails included. */
export async function treatedElsewhere(
  read: RowReader,
  assetId: string,
  testId: string,
  window: { from: string; to: string },
): Promise<Record<GeoLevel, string[]>> {
  const tests = await read<{ request: Pick<LiftRequest, 'geo_level' | 'treated'> }>(
    `SELECT request FROM modeling.lift_test
      WHERE asset_id = $1 AND test_id <> $2 AND status IN ('scheduled', 'queued', 'running', 'succeeded')
        AND test_from <= $4 AND window_to >= $3`,
    [assetId, testId, window.from, window.to],
  );
  const names: Record<GeoLevel, string[]> = { country: [], region: [], city: [] };
  // A test of the whole market changes all places alike: that rules out none.
  for (const { request } of tests) if (request.geo_level !== null) names[request.geo_level].push(...request.treated);
  return names;
}

/** All places of a level with the metric before the test, in no order. */
export async function readPlacesBefore(
  read: RowReader,
  { assetId, metric, level }: { assetId: string; metric: string; level: GeoLevel },
  before: { from: string; to: string },
  elsewhere: Record<GeoLevel, string[]>,
): Promise<PlaceBefore[]> {
  const columns = placeColumns(level);
  return read<PlaceBefore>(
    `SELECT place, round(sum(value), 6)::text AS total, (count(*) FILTER (WHERE value <> 0))::integer AS days, bool_or(treated) AS treated
       FROM (SELECT ARRAY[${columns.join(', ')}] AS place, day, sum(value)::numeric AS value,
                    bool_or(${isNamedSql('country', '$5')} OR ${isNamedSql('region', '$6')} OR ${isNamedSql('city', '$7')}) AS treated
               FROM reporting.outcome_day
              WHERE asset_id = $1 AND target = $2 AND day BETWEEN $3 AND $4 AND ${level} <> ''
              GROUP BY place, day) AS days
      GROUP BY place`,
    [assetId, metric, before.from, before.to, elsewhere.country, elsewhere.region, elsewhere.city],
  );
}
