import type { PoolClient } from 'pg';
import { lockAllBuckets, lockRollups } from '../ingest/locks.js';

/** `rollup_day` is the last to be emptied: its rows tell whether something is left, see `isLeftOver`. */
const TABLES = [
  'session_part',
  'user_gap',
  'frequent_person',
  'frequent_person_day',
  'person_span',
  'outcome_rollup',
  'rollup_day',
] as const;
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
  const { rows } = await client.query<{ version: number; building: number | null }>(
    'SELECT version, building FROM reporting.asset_state WHERE asset_id = $1',
    [assetId],
  );
  const { version, building } = rows[0] ?? { version: 1, building: null };
  if (building !== null) {
    await inTransaction(client, async () => {
      await lockRollups(client, assetId);
      await client.query('UPDATE reporting.asset_state SET building = NULL WHERE asset_id = $1', [assetId]);
      await client.query('DELETE FROM reporting.rebuild_log WHERE asset_id = $1', [assetId]);
    });
  }
  if (building !== null || (await isLeftOver(client, assetId, version))) {
    await removeOtherVersions(client, assetId, version);
  }
}

/** Whether a rebuild died while it removed the version before its own. */
async function isLeftOver(client: PoolClient, assetId: string, version: number): Promise<boolean> {
  const { rows } = await client.query<{ left: boolean }>(
    `SELECT EXISTS (SELECT FROM reporting.rollup_day WHERE asset_id = $1 AND version < $2)
         OR EXISTS (SELECT FROM reporting.rollup_day WHERE asset_id = $1 AND version > $2) AS left`,
    [assetId, version],
  );
  return rows[0]?.left === true;
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
