import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DEAD_LETTER_RETENTION_MS } from '#contracts/topics.js';
import { originalHeaders } from '../consumer/dead-letter-reason.js';
import { DeadLetters, type DeadLetterItem, type ReplayOptions } from '../dead-letters.js';

interface Row {
  id: string;
  topic: string;
  key: string;
  value: string;
  headers: Record<string, string>;
  created_at: Date;
}

/**
 * Dead letters of the embedded mode, in a table. The process that replays is the command line, and the consumers run in
 * another one: so a replay is a row of the gateway's outbox, which the running service sweeps.
 */
export class InProcessDeadLetters extends DeadLetters {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async list({ topic, limit }: { topic?: string; limit: number }): Promise<DeadLetterItem[]> {
    const rows = await this.dataSource.query<Row[]>(
      `SELECT * FROM messaging.dead_letter WHERE replayed_at IS NULL AND ($1::text IS NULL OR topic = $1)
        ORDER BY created_at DESC, id DESC LIMIT $2`,
      [topic ?? null, limit],
    );
    return rows.map(({ id, topic, key, value, headers, created_at }) => ({
      id,
      topic,
      code: headers['x-error-code'] ?? '',
      reason: headers['x-error-message'] ?? '',
      consumer: headers['x-consumer'] ?? '',
      key,
      value,
      failed_at: headers['x-failed-at'] ?? created_at.toISOString(),
    }));
  }

  async replay({ topic, ids }: ReplayOptions): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const [rows] = await manager.query<[Row[], number]>(
        `UPDATE messaging.dead_letter SET replayed_at = clock_timestamp()
          WHERE ($1::text IS NULL OR topic = $1)
            AND CASE WHEN $2::text[] IS NULL THEN replayed_at IS NULL ELSE id::text = ANY ($2) END
          RETURNING *`,
        [topic ?? null, ids ?? null],
      );
      const unknown = (ids ?? []).filter((id) => !rows.some((row) => row.id === id));
      if (unknown.length > 0) throw new Error(`No such dead letter: ${unknown.join(', ')}.`);
      for (const row of rows) {
        // A JSON string as payload is sent as its text: a dead letter need not be JSON.
        await manager.query(
          'INSERT INTO access.outbox (id, topic, key, payload, headers) VALUES ($1, $2, $3, to_jsonb($4::text), $5)',
          [uuidv7(), row.topic, row.key, row.value, originalHeaders(row.headers)],
        );
      }
      return rows.length;
    });
  }

  async deleteOld(): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM messaging.dead_letter WHERE created_at < clock_timestamp() - $1 * interval '1 ms'`,
      [DEAD_LETTER_RETENTION_MS],
    );
    return deleted;
  }
}
