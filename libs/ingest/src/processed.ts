import type { PoolClient } from 'pg';
import { validate, version as uuidVersion } from 'uuid';
import type { Topic } from '#contracts/topics.js';
import type { CollectedMessage } from './collected-message.js';
import { timestamp } from './sql.js';

/** The services that take collected topics; each keeps its own accounts, in the schema of its name. */
export type IngestSchema = 'reporting' | 'integrity';

const GATEWAY = '/tallyport/gateway';
const MESSAGE_UUID_VERSION = 7;

/**
 * Notes the messages of the gateway that are seen for the first time: what it took and what a service has finished with
 * shall meet. Some records of a message that come again from the dead letters, under an id that is no UUIDv7, were
 * counted with the whole.
 *
 * @returns how many records they hold
 */
export async function noteMessages(
  client: PoolClient,
  schema: IngestSchema,
  messages: readonly CollectedMessage[],
): Promise<number> {
  const records = new Map<string, number>();
  for (const { id, source, records: held } of messages) {
    if (source === GATEWAY && validate(id) && uuidVersion(id) === MESSAGE_UUID_VERSION) records.set(id, held.length);
  }
  if (records.size === 0) return 0;
  const { rows } = await client.query<{ message_id: string }>(
    `INSERT INTO ${schema}.inbox (message_id) SELECT id FROM unnest($1::text[]) AS n (id) ORDER BY id
     ON CONFLICT DO NOTHING RETURNING message_id`,
    [[...records.keys()]],
  );
  return rows.reduce((sum, { message_id }) => sum + (records.get(message_id) ?? 0), 0);
}

/**
 * Adds to what `GET /collect/status` shows. One row for all writers of an asset: call it last.
 *
 * @param newestUs microseconds since 1970 of the newest event
 */
export async function addProcessed(
  client: PoolClient,
  schema: IngestSchema,
  assetId: string,
  topic: Topic,
  records: number,
  newestUs?: number,
): Promise<void> {
  if (records === 0 && newestUs === undefined) return;
  await client.query(
    `INSERT INTO ${schema}.processed AS p (asset_id, topic, records, newest_event_time) VALUES ($1, $2, $3, $4)
     ON CONFLICT (asset_id, topic) DO UPDATE SET records = p.records + excluded.records,
       newest_event_time = greatest(p.newest_event_time, excluded.newest_event_time)`,
    [assetId, topic, records, newestUs === undefined ? null : timestamp(newestUs)],
  );
}
