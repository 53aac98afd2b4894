import { RunFailure } from '#contracts/modeling/run-state.js';
import type { GeoLevel } from '#contracts/modeling/lift-test.js';
import type { RowReader } from '#database/modeling/row-reader.js';

/** The columns that make a place of a level, the coarsest first. */
const COLUMNS = {
  country: ['country'],
  region: ['country', 'region'],
  city: ['country', 'region', 'city'],
} as const satisfies Record<GeoLevel, readonly string[]>;

/** A place by the names from its country down to its level. */
export type Place = readonly string[];

/** `country/region/city`, as far down as the level. */
export function pathOf(place: Place): string {
  return place.join('/');
}

/** The name at its own level. */
export function nameOf(place: Place): string {
  return place.at(-1) ?? '';
}

/** SQL: the columns of a place of the level. */
export function placeColumns(level: GeoLevel, table = ''): string[] {
  return COLUMNS[level].map((column) => (table === '' ? column : `${table}.${column}`));
}

/** SQL: whether a row lies in a place named, by name or path, in the parameter. */
export function isNamedSql(level: GeoLevel, parameter: string): string {
  return `(${level} = ANY(${parameter}::text[]) OR ${placeColumns(level).join(` || '/' || `)} = ANY(${parameter}::text[]))`;
}

/**
 * The places that names stand for, in their order; two names of one place give it once.
 *
 * @param names exact names at the level, or paths where a name occurs more than once
 * @throws RunFailure unknown_place for a name that no event or more than one place has
 */
export async function findPlaces(
  read: RowReader,
  assetId: string,
  level: GeoLevel,
  names: readonly string[],
): Promise<{ name: string; place: Place }[]> {
  const rows = await read<{ place: string[] }>(
    `SELECT DISTINCT ARRAY[${placeColumns(level).join(', ')}] AS place FROM reporting.outcome_day
      WHERE asset_id = $1 AND target = 'conversions' AND ${level} <> '' AND ${isNamedSql(level, '$2')}`,
    [assetId, names],
  );
  const found = new Map<string, { name: string; place: Place }>();
  for (const name of names) {
    const [only, ...others] = rows.filter(({ place }) => nameOf(place) === name || pathOf(place) === name);
    if (only === undefined || others.length > 0) throw new RunFailure('unknown_place', { place: name });
    const path = pathOf(only.place);
    if (!found.has(path)) found.set(path, { name, place: only.place });
  }
  return [...found.values()];
}
