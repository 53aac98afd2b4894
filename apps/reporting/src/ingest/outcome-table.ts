import type { PoolClient } from 'pg';
import { numbers, texts } from '#ingest/sql.js';
import type { Outcome } from './outcomes.js';

/** Adds to the outcomes of one version of an asset. The caller holds the lock of the asset's rollups (`lockRollups`). */
export async function addOutcomes(
  client: PoolClient,
  assetId: string,
  version: number,
  rows: readonly Outcome[],
): Promise<void> {
  if (rows.length === 0) return;
  await client.query(
    `INSERT INTO reporting.outcome_rollup AS o (asset_id, version, target, day, place, currency, country, region,
                                                city, value, organic_value, events)
     SELECT $1, $2, target, date '1970-01-01' + day, place, currency, country, region, city, value, organic, events
       FROM unnest($3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::numeric[],
                   $11::numeric[], $12::bigint[])
              AS n (target, day, place, currency, country, region, city, value, organic, events)
      ORDER BY target COLLATE "C", day, place, currency COLLATE "C"
     ON CONFLICT (asset_id, version, target, day, place, currency) DO UPDATE
       SET value = o.value + excluded.value, organic_value = o.organic_value + excluded.organic_value,
           events = o.events + excluded.events`,
    [
      assetId,
      version,
      texts(rows.map(({ target }) => target)),
      numbers(rows.map(({ day }) => day)),
      numbers(rows.map(({ place }) => place)),
      texts(rows.map(({ currency }) => currency)),
      texts(rows.map(({ country }) => country)),
      texts(rows.map(({ region }) => region)),
      texts(rows.map(({ city }) => city)),
      `{${rows.map(({ value }) => value).join(',')}}`,
      `{${rows.map(({ organic }) => organic).join(',')}}`,
      numbers(rows.map(({ events }) => events)),
    ],
  );
}
