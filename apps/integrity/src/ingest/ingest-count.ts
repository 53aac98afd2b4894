import type { PoolClient } from 'pg';

/** Events that no session shows, or not as traffic of a network. */
export interface IngestCounts {
  /** Good records that changed nothing: their id was there. */
  duplicates: number;
  /** Too old for a session. */
  tooOld: number;
  /** In sessions, but of no network. */
  withoutAddress: number;
}

/** One row for all writers of an asset: call it late. */
export async function addCounts(
  client: PoolClient,
  assetId: string,
  { duplicates, tooOld, withoutAddress }: IngestCounts,
): Promise<void> {
  if (duplicates + tooOld + withoutAddress === 0) return;
  await client.query(
    `INSERT INTO integrity.ingest_count AS c (asset_id, duplicates, too_old, skipped_no_ip) VALUES ($1, $2, $3, $4)
     ON CONFLICT (asset_id) DO UPDATE SET duplicates = c.duplicates + excluded.duplicates,
       too_old = c.too_old + excluded.too_old, skipped_no_ip = c.skipped_no_ip + excluded.skipped_no_ip`,
    [assetId, duplicates, tooOld, withoutAddress],
  );
}
