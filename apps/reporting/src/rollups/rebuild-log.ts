import type { PoolClient } from 'pg';
import type { SessionChange } from '../ingest/session-table.js';

/** Keeps a change for the version that is being built; the caller holds the lock of the asset's rollups. */
export async function noteForRebuild(client: PoolClient, assetId: string, change: SessionChange): Promise<void> {
  await client.query('INSERT INTO reporting.rebuild_log (asset_id, entry) VALUES ($1, $2)', [
    assetId,
    JSON.stringify(change),
  ]);
}
