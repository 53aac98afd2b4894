import type { PoolClient } from 'pg';
import type { Change } from '../ingest/change.js';
import { addOutcomes } from '../ingest/outcome-table.js';
import { RollupTable } from '../ingest/rollup-table.js';
import { SessionTable } from '../ingest/session-table.js';

/** Keeps a change for the version that is being built; the caller holds the lock of the asset's rollups. */
export async function noteForRebuild(client: PoolClient, assetId: string, change: Change): Promise<void> {
  await client.query('INSERT INTO reporting.rebuild_log (asset_id, entry) VALUES ($1, $2)', [
    assetId,
    JSON.stringify(change),
  ]);
}

/**
 * Applies the oldest changes to the version that is being built, by the code that applied them to the one that is read,
 * and forgets them. They were noted under the lock of the rollups, so their order is that in which they happened.
 *
 * @returns how many
 */
export async function replay(client: PoolClient, assetId: string, version: number, most: number): Promise<number> {
  const { rows } = await client.query<{ entry_id: string; entry: Change }>(
    'SELECT entry_id, entry FROM reporting.rebuild_log WHERE asset_id = $1 ORDER BY entry_id LIMIT $2',
    [assetId, most],
  );
  const sessions = new SessionTable(client, assetId, version);
  const rollups = new RollupTable(client, assetId, version);
  for (const { entry } of rows) {
    // What was new there may be known here.
    const visitors = entry.visitors.map((visitor) => ({ ...visitor, fresh: false }));
    await rollups.apply(await sessions.apply({ ...entry, visitors }), () => false);
    await addOutcomes(client, assetId, version, entry.outcomes);
  }
  await client.query('DELETE FROM reporting.rebuild_log WHERE asset_id = $1 AND entry_id = ANY ($2::bigint[])', [
    assetId,
    rows.map(({ entry_id }) => entry_id),
  ]);
  return rows.length;
}
