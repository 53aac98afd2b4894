import type { PoolClient } from 'pg';
import { numbers } from '#ingest/sql.js';
import { eventKey } from './event-key.js';

const DAY_US = 86_400_000_000;

/**
 * Notes events inside a transaction.
 *
 * @returns the keys (see `eventKey`) of those that were not seen before
 */
export async function noteEvents(
  client: PoolClient,
  assetId: string,
  events: readonly { id: string; at: number }[],
): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  // In order of the key: two writers with the same events must not wait for each other in a circle.
  const { rows } = await client.query<{ event: string }>(
    `INSERT INTO integrity.seen_event (asset_id, event, day)
     SELECT $1, n.event, date '1970-01-01' + n.day FROM unnest($2::uuid[], $3::int[]) AS n (event, day) ORDER BY n.event
     ON CONFLICT DO NOTHING RETURNING event`,
    [
      assetId,
      `{${events.map(({ id }) => eventKey(id)).join(',')}}`,
      numbers(events.map(({ at }) => Math.floor(at / DAY_US))),
    ],
  );
  return new Set(rows.map(({ event }) => event.replaceAll('-', '')));
}
