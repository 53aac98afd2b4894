import type { PoolClient } from 'pg';
import { texts, timestamp } from '#ingest/sql.js';
import type { TouchedDays } from './merge-into-table.js';
import type { TrafficEvent } from './traffic-sessions.js';

/**
 * Notes when known persons converted first, inside a transaction. Sessions that are younger than a conversion of which
 * nothing was known yet are another thing now: their days go into `touched`.
 */
export async function noteConversions(
  client: PoolClient,
  assetId: string,
  events: readonly TrafficEvent[],
  touched: TouchedDays,
): Promise<void> {
  const first = new Map<string, number>();
  for (const { kind, user, at } of events)
    if (kind === 'conversion' && user !== null) first.set(user, Math.min(at, first.get(user) ?? at));
  if (first.size === 0) return;
  const { rows } = await client.query<{ net: string; day: string }>(
    `WITH earlier AS (
       INSERT INTO integrity.converter AS c (asset_id, global_user_id, first_at)
       SELECT $1, n.name, n.at FROM unnest($2::text[], $3::timestamptz[]) AS n (name, at) ORDER BY n.name
       ON CONFLICT (asset_id, global_user_id) DO UPDATE SET first_at = excluded.first_at WHERE excluded.first_at < c.first_at
       RETURNING global_user_id, first_at)
     SELECT DISTINCT s.net, s.day - date '1970-01-01' AS day
       FROM earlier CROSS JOIN LATERAL (
         SELECT net, day FROM integrity.ivt_session
          WHERE asset_id = $1 AND global_user_id = earlier.global_user_id AND started_at > earlier.first_at OFFSET 0) s`,
    [assetId, texts(first.keys()), `{${[...first.values()].map(timestamp).join(',')}}`],
  );
  for (const { net, day } of rows) touched.add(net, Number(day));
}
