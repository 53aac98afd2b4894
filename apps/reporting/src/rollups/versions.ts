import type { PoolClient } from 'pg';
import { lockAllBuckets, lockRollups } from '../ingest/locks.js';

const TABLES = ['session_part', 'rollup_day', 'user_gap', 'frequent_person', 'frequent_person_day'] as const;
const PAGES = 2_000;

/**
 * Removes all versions of an asset but the one that is read, in pieces: one large delete would hold back the clean-up of
 * the whole database.
 */
export async function removeOtherVersions(client: PoolClient, assetId: string, version: number): Promise<void> {
  await untilWritersAreThrough(client, assetId);
  for (const table of TABLES) {
    const { rows } = await client.query<{ pages: number }>(
      `SELECT (pg_relation_size('reporting.${table}') / current_setting('block_size')::int)::int AS pages`,
    );
    const pages = rows[0]?.pages ?? 0;
    for (let page = 0; page <= pages; page += PAGES) {
      await client.query(
        `DELETE FROM reporting.${table} WHERE ctid >= '(${page},0)' AND ctid < '(${page + PAGES},0)'
            AND asset_id = $1 AND version <> $2`,
        [assetId, version],
      );
    }
  }
}

/** Batches that began with another version will find it changed and be rolled back; they hold rows until then. */
async function untilWritersAreThrough(client: PoolClient, assetId: string): Promise<void> {
  await inTransaction(client, () => lockAllBuckets(client, assetId));
}

/** Forgets a rebuild that did not come to its end; call it under the lock that rebuilds of the asset hold. */
export async function abandonRebuild(client: PoolClient, assetId: string): Promise<void> {
  await inTransaction(client, async () => {
    await lockRollups(client, assetId);
    await client.query('UPDATE reporting.asset_state SET building = NULL WHERE asset_id = $1', [assetId]);
    await client.query('DELETE FROM reporting.rebuild_log WHERE asset_id = $1', [assetId]);
  });
  const { rows } = await client.query<{ version: number }>(
    'SELECT version FROM reporting.asset_state WHERE asset_id = $1',
    [assetId],
  );
  await removeOtherVersions(client, assetId, rows[0]?.version ?? 1);
}

async function inTransaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
