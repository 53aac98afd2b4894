import type { EntityManager } from 'typeorm';
import { channelKey } from '#contracts/channels/channel-key.js';
import type { LiftRequest } from '#contracts/modeling/lift-test.js';
import { windowEnd } from './lift-request.js';
import { isOneInside, isSamePlace } from './places.js';

type Places = Pick<LiftRequest, 'geo_level' | 'treated'>;

/**
 * Another test of the asset, not failed, with one of the channels, a shared place and a common day, tails included; until
 * the end of the transaction nobody else adds one. A test of the whole market shares every place.
 */
export async function overlappingTest(
  manager: EntityManager,
  assetId: string,
  request: LiftRequest,
): Promise<string | undefined> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`lift:${assetId}`]);
  const others = await manager.query<{ test_id: string; channels: string[]; request: Places }[]>(
    `SELECT test_id, channels, request FROM modeling.lift_test
      WHERE asset_id = $1 AND status <> 'failed' AND test_from <= $3 AND window_to >= $2 ORDER BY created_at, test_id`,
    [assetId, request.test_from, windowEnd(request)],
  );
  const keys = new Set(request.channels.map(channelKey));
  for (const other of others) {
    if (!other.channels.some((channel) => keys.has(channelKey(channel)))) continue;
    if (await isPlaceShared(manager, assetId, request, other.request)) return other.test_id;
  }
  return undefined;
}

async function isPlaceShared(manager: EntityManager, assetId: string, one: Places, other: Places): Promise<boolean> {
  if (one.geo_level === null || other.geo_level === null) return true;
  if (one.geo_level === other.geo_level)
    return one.treated.some((place) => other.treated.some((another) => isSamePlace(place, another)));
  return isOneInside(
    manager,
    assetId,
    { level: one.geo_level, names: one.treated },
    { level: other.geo_level, names: other.treated },
  );
}
