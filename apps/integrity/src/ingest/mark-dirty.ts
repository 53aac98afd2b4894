import type { PoolClient } from 'pg';
import { date, texts } from '#ingest/sql.js';
import type { TouchedDays } from './merge-into-table.js';

/** Has networks and days scored, at once. Other writers with the same networks wait from here to the commit. */
export async function markDirty(client: PoolClient, assetId: string, touched: TouchedDays): Promise<void> {
  const list = touched.list();
  if (list.length === 0) return;
  await client.query(
    `INSERT INTO integrity.dirty AS d (asset_id, net, day)
     SELECT $1, n.net, n.day FROM unnest($2::text[], $3::date[]) AS n (net, day) ORDER BY n.day, n.net
     ON CONFLICT (asset_id, day, net) DO UPDATE SET since = excluded.since, not_before = excluded.not_before,
       waiting_since = CASE WHEN d.not_before = '-infinity' THEN d.waiting_since ELSE excluded.waiting_since END`,
    [assetId, texts(list.map(({ net }) => net)), `{${list.map(({ day }) => date(day)).join(',')}}`],
  );
}
