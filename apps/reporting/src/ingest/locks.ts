import type { PoolClient } from 'pg';
import { VISITOR_BUCKETS } from '#contracts/collect/collected.js';

/** Second key of the lock under which rollups are changed; the buckets have 0 to 31. */
const ROLLUPS = 1000;
/** Second key of the lock that a rebuild holds from its beginning to its end. */
export const REBUILD = 1001;

/** First key of an asset's advisory locks. Two assets of the same key only wait for each other. */
export function lockKey(assetId: string): number {
  return Buffer.from(assetId.replaceAll('-', ''), 'hex').readInt32BE(12);
}

/**
 * Whoever writes visitors, their sessions or their person holds the locks of their buckets. Taken in ascending order
 * and before any other lock, so that writers never wait for each other in a circle.
 */
export async function lockBuckets(client: PoolClient, assetId: string, buckets: Iterable<number>): Promise<void> {
  const sorted = [...new Set(buckets)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  const key = lockKey(assetId);
  await client.query(sorted.map((bucket) => `SELECT pg_advisory_xact_lock(${key}, ${bucket})`).join(';'));
}

export function lockAllBuckets(client: PoolClient, assetId: string): Promise<void> {
  return lockBuckets(
    client,
    assetId,
    Array.from({ length: VISITOR_BUCKETS }, (_, bucket) => bucket),
  );
}

/** The last lock of a transaction: rollups are read and changed by one at a time, else two writers drift apart. */
export async function lockRollups(client: PoolClient, assetId: string): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(${lockKey(assetId)}, ${ROLLUPS})`);
}
