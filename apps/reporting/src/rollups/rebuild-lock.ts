import type { PoolClient } from 'pg';
import { lockKey } from '#ingest/asset-locks.js';
import { REBUILD } from '../ingest/locks.js';

/**
 * Takes the lock that a rebuild of the asset holds from its beginning to its end. The connection holds it, so that it
 * goes with a process that dies.
 *
 * @returns false when somebody else has it
 */
export async function tryLockRebuild(client: PoolClient, assetId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(${lockKey(assetId)}, ${REBUILD}) AS locked`,
  );
  return rows[0]?.locked === true;
}

/** Never rejects: a connection that is gone has lost the lock. */
export async function unlockRebuild(client: PoolClient, assetId: string): Promise<void> {
  await client.query(`SELECT pg_advisory_unlock(${lockKey(assetId)}, ${REBUILD})`).catch(() => undefined);
}
