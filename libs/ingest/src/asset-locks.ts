import type { PoolClient } from 'pg';

/** First key of an asset's advisory locks. Two assets of the same key only wait for each other. */
export function lockKey(assetId: string): number {
  return Buffer.from(assetId.replaceAll('-', ''), 'hex').readInt32BE(12);
}

/**
 * Takes locks of an asset until the end of the transaction, in ascending order of their second key, so that writers never
 * wait for each other in a circle.
 */
export async function lockAsset(client: PoolClient, assetId: string, secondKeys: Iterable<number>): Promise<void> {
  const sorted = [...new Set(secondKeys)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  const key = lockKey(assetId);
  await client.query(sorted.map((second) => `SELECT pg_advisory_xact_lock(${key}, ${second})`).join(';'));
}
