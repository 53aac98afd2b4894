import type { PoolClient } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { CopyOut } from './copy-out.js';
import type { ExportSnapshot } from './export-definition.js';

/** A process that is frozen shall not keep old rows alive for ever. */
const IDLE_LIMIT = '10min';

/** Connections that the exports of a process may hold beyond one each. */
export class SpareConnections {
  constructor(private free: number) {}

  take(): boolean {
    if (this.free <= 0) return false;
    this.free--;
    return true;
  }

  give(): void {
    this.free++;
  }
}

/**
 * A snapshot on a connection of its own. `close` gives the connection back to the pool; one with a statement that was
 * left in the middle is given up instead, because what is still to come on it can't be told from the next answer.
 */
export class DatabaseSnapshot implements ExportSnapshot {
  private readonly log = loggerFor('exports');
  /** Those that are not over, in their order; the first of them runs. */
  private copies: CopyOut[] = [];
  private readonly others: DatabaseSnapshot[] = [];
  /** Queries that have not ended. */
  private queries = 0;
  private isOpen = true;
  private isGivenUp = false;
  private readonly abort = (): void => {
    this.giveUp(this.signal.reason as Error);
  };

  private constructor(
    private readonly dataSource: DataSource,
    private readonly queryRunner: QueryRunner,
    private readonly client: PoolClient & { processID?: number },
    private readonly spare: SpareConnections,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.abort, { once: true });
  }

  /** When `signal` fires, whatever runs on the snapshot fails at once. */
  static open(dataSource: DataSource, spare: SpareConnections, signal: AbortSignal): Promise<DatabaseSnapshot> {
    return DatabaseSnapshot.begin(dataSource, spare, signal);
  }

  private static async begin(
    dataSource: DataSource,
    spare: SpareConnections,
    signal: AbortSignal,
    snapshotId?: string,
  ): Promise<DatabaseSnapshot> {
    signal.throwIfAborted();
    const queryRunner = dataSource.createQueryRunner();
    let client: PoolClient | undefined;
    try {
      client = (await queryRunner.connect()) as PoolClient;
      signal.throwIfAborted();
      await client.query(
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ' +
          (snapshotId === undefined ? '' : `SET TRANSACTION SNAPSHOT '${snapshotId}'; `) +
          `SET LOCAL idle_in_transaction_session_timeout = '${IDLE_LIMIT}'`,
      );
      signal.throwIfAborted();
      return new DatabaseSnapshot(dataSource, queryRunner, client, spare, signal);
    } catch (error) {
      if (client !== undefined) endForGood(client);
      await queryRunner.release();
      throw error;
    }
  }

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    this.queries++;
    try {
      return (await this.client.query(sql, parameters)).rows as Row[];
    } finally {
      this.queries--;
    }
  }

  copyTo(sql: string): CopyOut {
    const copy = new CopyOut(sql);
    const last = this.copies.at(-1);
    const start = (): void => void this.client.query(copy);
    if (last === undefined || last.isOver) start();
    else void last.over.then(start);
    this.copies = [...this.copies.filter(({ isOver }) => !isOver), copy];
    return copy;
  }

  async second(): Promise<ExportSnapshot | undefined> {
    if (!this.spare.take()) return undefined;
    try {
      const [row] = await this.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
      if (row === undefined || !/^[\w-]+$/.test(row.id)) throw new Error('The snapshot has no name.');
      const other = await DatabaseSnapshot.begin(this.dataSource, this.spare, this.signal, row.id);
      this.others.push(other);
      return other;
    } catch (error) {
      this.spare.give();
      // No connection is free: one is enough.
      if (!this.signal.aborted && isDependencyAway(error)) return undefined;
      throw error;
    }
  }

  /** Once is enough; it never fails. */
  async close(): Promise<void> {
    for (const other of this.others.splice(0)) {
      await other.close();
      this.spare.give();
    }
    if (!this.isOpen) return;
    this.isOpen = false;
    this.signal.removeEventListener('abort', this.abort);
    if (this.isBusy) this.giveUp(new Error('The snapshot was closed.'));
    if (!this.isGivenUp) {
      await this.client.query('ROLLBACK').catch(() => {
        endForGood(this.client);
      });
    }
    await this.queryRunner.release();
  }

  /** A statement has not ended. */
  private get isBusy(): boolean {
    return this.queries > 0 || this.copies.some(({ isOver }) => !isOver);
  }

  private giveUp(reason: Error): void {
    if (this.isGivenUp) return;
    this.isGivenUp = true;
    for (const copy of this.copies) copy.destroy(reason);
    endForGood(this.client);
    // The server notices a closed connection only when it writes, which a long sort does not.
    if (!this.isBusy) return;
    this.dataSource.query('SELECT pg_cancel_backend($1)', [this.client.processID]).catch((error: unknown) => {
      this.log.warn({ err: error }, 'could not cancel the statement of a stopped export');
    });
  }
}

/** The pool throws away what has been ended. */
function endForGood(client: PoolClient): void {
  const { end } = client as unknown as { end: () => Promise<void> };
  end.call(client).catch(() => undefined);
}
