import type { PoolClient } from 'pg';
import { VISITOR_BUCKETS } from '#contracts/collect/collected.js';
import { lockAsset } from '#ingest/asset-locks.js';

/** Second key of the lock under which rollups are changed; the buckets have 0 to 31. */
const ROLLUPS = 1000;
/** Second key of the lock that a rebuild holds from its beginning to its end. */
export const REBUILD = 1001;

/**
 * Whoever writes visitors, their sessions or their person holds the locks of their buckets. Taken in ascending order
 * and before any other lock, so that writers never wait for each other in a circle.
 */
export function lockBuckets(client: PoolClient, assetId: string, buckets: Iterable<number>): Promise<void> {
  return lockAsset(client, assetId, buckets);
}

export function lockAllBuckets(client: PoolClient, assetId: string): Promise<void> {
  return lockBuckets(
    client,
    assetId,
    Array.from({ length: VISITOR_BUCKETS }, (_, bucket) => bucket),
  );
}

/** The last lock of a transaction: rollups are read and changed by one at a time, else two writers drift apart. */
export function lockRollups(client: PoolClient, assetId: string): Promise<void> {
  return lockAsset(client, assetId, [ROLLUPS]);
}
