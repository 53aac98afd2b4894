import type { PoolClient } from 'pg';
import { numbers } from '#ingest/sql.js';

/** Parts of one person in one version of an asset, in a query with the person as `n.person`. */
const PARTS = 'reporting.session_part s WHERE s.person_id = n.person AND s.version = $2 AND s.asset_id = $1';

/**
 * The days of named persons, so that the users report asks nobody's sessions. Their parts are written, and the caller
 * holds the lock of the asset's rollups: what others wrote is seen.
 *
 * @param persons those whose parts changed; who is not named has no row
 */
export async function updatePersonSpans(
  client: PoolClient,
  assetId: string,
  version: number,
  persons: Iterable<number>,
): Promise<void> {
  const parameters = [assetId, version, numbers(persons)];
  // A first event is of the first local day or, where clocks go back over midnight, of the next.
  await client.query(
    `INSERT INTO reporting.person_span AS known (asset_id, version, person_id, first_day, last_day, first_at)
     SELECT $1, $2, n.person, d.first_day, d.last_day, f.first_at
       FROM unnest($3::bigint[]) AS n (person)
      CROSS JOIN LATERAL (
        SELECT FROM reporting.person p WHERE p.person_id = n.person AND p.asset_id = $1 OFFSET 0) named
      CROSS JOIN LATERAL (
        SELECT (SELECT min(s.day) FROM ${PARTS}) AS first_day, (SELECT max(s.day) FROM ${PARTS}) AS last_day) d
      CROSS JOIN LATERAL (SELECT min(s.first_at) AS first_at FROM ${PARTS} AND s.day <= d.first_day + 1) f
      WHERE d.first_day IS NOT NULL
     ON CONFLICT (person_id, version, asset_id) DO UPDATE
       SET first_day = excluded.first_day, last_day = excluded.last_day, first_at = excluded.first_at
     WHERE (known.first_day, known.last_day, known.first_at) <> (excluded.first_day, excluded.last_day, excluded.first_at)`,
    parameters,
  );
  // Mostly nobody. Each person is looked up by index: as a join the planner of a new asset compares all with all.
  await client.query(
    `DELETE FROM reporting.person_span WHERE ctid = ANY (ARRAY(
       SELECT known.ctid FROM unnest($3::bigint[]) AS n (person)
        CROSS JOIN LATERAL (SELECT (SELECT min(s.day) FROM ${PARTS}) AS day) d
        CROSS JOIN LATERAL (
          SELECT k.ctid FROM reporting.person_span k
           WHERE k.person_id = n.person AND k.version = $2 AND k.asset_id = $1 AND d.day IS NULL OFFSET 0) known))`,
    parameters,
  );
}
