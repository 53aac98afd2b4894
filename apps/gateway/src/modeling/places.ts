import type { EntityManager } from 'typeorm';
import type { GeoLevel, LiftRequest } from '#contracts/modeling/lift-test.js';
import { invalidParameter } from '#runtime/query.js';

/** The columns that make a place of a level, the coarsest first. */
const COLUMNS: Record<GeoLevel, readonly string[]> = {
  country: ['country'],
  region: ['country', 'region'],
  city: ['country', 'region', 'city'],
};

/** Every day and place with any event has a row of this target. */
const ANY_EVENT = `target = 'conversions'`;

/**
 * Whether two names of one level mean the same place: a bare name is only accepted where it is the only one, so it is
 * that of `country/region/city` too.
 */
export function isSamePlace(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

/** Places of one level that are named by a request. */
export interface NamedPlaces {
  level: GeoLevel;
  names: readonly string[];
}

/** Whether a place of the one lies in a place of the other, as events have it; of two levels. */
export async function isOneInside(
  manager: EntityManager,
  assetId: string,
  one: NamedPlaces,
  other: NamedPlaces,
): Promise<boolean> {
  const [row] = await manager.query<[{ inside: boolean }]>(
    `SELECT EXISTS (SELECT FROM reporting.outcome_day
                     WHERE asset_id = $1 AND ${ANY_EVENT} AND ${isNamed(one.level, '$2')} AND ${isNamed(other.level, '$3')}) AS inside`,
    [assetId, one.names, other.names],
  );
  return row.inside;
}

/**
 * A bare name that events have in more than one place can't be meant.
 *
 * @throws AppError `invalid_parameter` naming each
 */
export async function refuseAmbiguousPlaces(
  manager: EntityManager,
  assetId: string,
  { geo_level: level, treated, controls }: Pick<LiftRequest, 'geo_level' | 'treated' | 'controls'>,
): Promise<void> {
  if (level === null || level === 'country') return;
  const columns = COLUMNS[level];
  const rows = await manager.query<{ name: string; places: number }[]>(
    `SELECT ${level} AS name, count(*)::int AS places
       FROM (SELECT DISTINCT ${columns.join(', ')} FROM reporting.outcome_day
              WHERE asset_id = $1 AND ${ANY_EVENT} AND ${level} = ANY($2)) AS place
      GROUP BY ${level} HAVING count(*) > 1`,
    [assetId, [...treated, ...controls]],
  );
  const known = new Map(rows.map(({ name, places }) => [name, places]));
  const errors = Object.entries({ treated, controls }).flatMap(([list, names]) =>
    names.flatMap((name, index) => {
      const places = known.get(name);
      return places === undefined
        ? []
        : [{ name: `${list}[${index}]`, reason: `is the name of ${places} places: write ${columns.join('/')}` }];
    }),
  );
  if (errors.length > 0) throw invalidParameter(errors);
}

/** SQL: whether a row lies in one of the named places. */
function isNamed(level: GeoLevel, names: '$2' | '$3'): string {
  return `(${level} = ANY(${names}) OR concat_ws('/', ${COLUMNS[level].join(', ')}) = ANY(${names}))`;
}
