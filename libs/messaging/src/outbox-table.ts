import type { DataSource, EntityManager } from 'typeorm';
import { FORGOTTEN_TOPICS } from '#contracts/topics.js';
import type { OutgoingEvent } from './outgoing.js';

export type OutboxSchema = 'access' | 'imports' | 'reporting' | 'integrity' | 'modeling';

export type OutboxRow = OutgoingEvent;

/** A row is taken by others only when it is this old: the process that wrote it publishes it right away. */
const SWEEP_AFTER = '2 seconds';
/** Longer than a send takes, all its attempts included. */
const CLAIM = '60 seconds';
const DELETE_ROWS = 10_000;

/**
 * The SQL of an outbox. The state is in each row: a cursor over a sequence would lose rows, since sequence values are
 * taken before the commit.
 */
export class OutboxTable {
  private readonly name: string;

  constructor(
    private readonly dataSource: DataSource,
    schema: OutboxSchema,
  ) {
    this.name = `${schema}.outbox`;
  }

  async insert(manager: EntityManager, rows: OutboxRow[]): Promise<void> {
    if (rows.length === 0) return;
    await manager.query(
      `INSERT INTO ${this.name} (id, topic, key, payload, headers)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[])`,
      [
        rows.map(({ id }) => id),
        rows.map(({ topic }) => topic),
        rows.map(({ key }) => key),
        rows.map(({ value }) => value),
        rows.map(({ headers }) => JSON.stringify(headers)),
      ],
    );
  }

  /** Takes waiting rows for this process, in one statement: no transaction is open while they are sent. */
  async claim(limit: number, except: string[]): Promise<OutboxRow[]> {
    const [rows] = await this.dataSource.query<[OutboxRow[], number]>(
      `UPDATE ${this.name} SET claimed_until = clock_timestamp() + interval '${CLAIM}', attempts = attempts + 1
        WHERE id IN (
          SELECT id FROM ${this.name}
           WHERE published_at IS NULL AND parked_at IS NULL
             AND created_at < clock_timestamp() - interval '${SWEEP_AFTER}'
             AND (claimed_until IS NULL OR claimed_until < clock_timestamp())
             AND id <> ALL ($2::uuid[])
           ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING id, topic, key, payload #>> '{}' AS value, headers`,
      [limit, except],
    );
    return rows;
  }

  /** Rows of topics that must not stay are deleted instead. */
  async markPublished(rows: OutboxRow[]): Promise<void> {
    const forgotten = rows.filter(({ topic }) => FORGOTTEN_TOPICS.has(topic));
    const kept = rows.filter(({ topic }) => !FORGOTTEN_TOPICS.has(topic));
    await this.update('published_at = clock_timestamp(), claimed_until = NULL, last_error = NULL', kept);
    if (forgotten.length === 0) return;
    await this.dataSource.query(`DELETE FROM ${this.name} WHERE id = ANY ($1)`, [forgotten.map(({ id }) => id)]);
  }

  async park(rows: OutboxRow[], error: string): Promise<void> {
    await this.update('parked_at = clock_timestamp(), claimed_until = NULL, last_error = $2', rows, error);
  }

  /** Later again: after 2 s, then less often, but every 10 s: so long an event waits after a broker is back. */
  async postpone(rows: OutboxRow[], error: string): Promise<void> {
    const wait = `least(10, 2 ^ least(attempts, 4)) * interval '1 second'`;
    await this.update(`claimed_until = clock_timestamp() + ${wait}, last_error = $2`, rows, error);
  }

  /** Rows that wait, and the seconds that the oldest has waited. */
  async pending(): Promise<{ count: number; oldestSeconds: number }> {
    const [row] = await this.dataSource.query<[{ count: number; oldestSeconds: number }]>(
      `SELECT count(*)::int AS count, coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float AS "oldestSeconds"
         FROM ${this.name} WHERE published_at IS NULL AND parked_at IS NULL`,
    );
    return row;
  }

  async deletePublished(olderThanDays: number): Promise<number> {
    let deleted = 0;
    for (;;) {
      const [, count] = await this.dataSource.query<[unknown[], number]>(
        `DELETE FROM ${this.name} WHERE id IN (
           SELECT id FROM ${this.name} WHERE published_at < clock_timestamp() - $1 * interval '1 day' LIMIT ${DELETE_ROWS})`,
        [olderThanDays],
      );
      deleted += count;
      if (count < DELETE_ROWS) return deleted;
    }
  }

  private async update(set: string, rows: OutboxRow[], ...parameters: unknown[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await this.dataSource.query(`UPDATE ${this.name} SET ${set} WHERE id = ANY ($1)`, [ids, ...parameters]);
  }
}
