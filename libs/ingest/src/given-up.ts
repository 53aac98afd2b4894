import type { DataSource } from 'typeorm';
import { validate } from 'uuid';
import type { Topic } from '#contracts/topics.js';
import type { GivenUpMessage } from '#messaging/batch-consumer.js';
import { ingestTransaction } from './ingest-transaction.js';
import { addProcessed, noteMessages, type IngestSchema } from './processed.js';

/** Counts the records of messages that became dead letters as a whole: nothing of them is pending any more. */
export class GivenUp {
  constructor(
    private readonly dataSource: DataSource,
    private readonly schema: IngestSchema,
  ) {}

  async count(topic: Topic, { envelope }: GivenUpMessage): Promise<void> {
    if (envelope === undefined) return;
    const { asset_id, records } = envelope.data as { asset_id?: unknown; records?: unknown };
    if (typeof asset_id !== 'string' || !validate(asset_id) || !Array.isArray(records)) return;
    const message = { id: envelope.id, source: envelope.source, records };
    await ingestTransaction(this.dataSource, async (client) => {
      await addProcessed(client, this.schema, asset_id, topic, await noteMessages(client, this.schema, [message]));
    });
  }
}
