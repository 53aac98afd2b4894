import type { DataSource } from 'typeorm';
import type { IngestSchema } from './processed.js';

const DELETE_ROWS = 10_000;

/** Forgets counted messages that are older than any topic keeps one: none can come again. @returns how many */
export async function forgetMessages(dataSource: DataSource, schema: IngestSchema, days: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const [, count] = await dataSource.query<[unknown[], number]>(
      `DELETE FROM ${schema}.inbox WHERE message_id IN (
         SELECT message_id FROM ${schema}.inbox WHERE received_at < clock_timestamp() - $1 * interval '1 day' LIMIT ${DELETE_ROWS})`,
      [days],
    );
    forgotten += count;
    if (count < DELETE_ROWS) return forgotten;
  }
}
