import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '#contracts/topics.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import type { EventBus } from './event-bus.js';
import { UnsendableMessageError } from './errors.js';
import { countParked, watchOutbox } from './outbox-metrics.js';
import { OutboxTable, type OutboxRow, type OutboxSchema } from './outbox-table.js';
import { outgoingEvent, type PublishingService } from './outgoing.js';

/** A database transaction whose events leave when it commits. */
export interface OutboxTransaction {
  manager: EntityManager;
  /** `await queryRunner.connect()` gives the pg client of the transaction, for COPY. */
  queryRunner: QueryRunner;
  /**
   * Notes an event. It is written with the transaction, keyed by the asset unless another key is given, and published
   * after the commit.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- lets the caller name the event
  emit<T extends object>(topic: Topic, assetId: string, data: T, key?: string): void;
}

/** One writer per outbox: the schema tells which service publishes, the source of its events. */
const SERVICES: Record<OutboxSchema, PublishingService> = {
  access: 'gateway',
  imports: 'import-worker',
  reporting: 'reporting',
  integrity: 'integrity',
  modeling: 'mmm-lift',
};

const SWEEP_EVERY_MS = 1_000;
const SWEEP_ROWS = 100;
/** Then rows wait for the sweeper: in-process they would pile up in memory faster than they are handled. */
const MAX_PUBLISHING = 200;
/** Then the messages stay for the sweeper of the next start. */
const SHUTDOWN_WAIT_MS = 10_000;

/**
 * The events of one service on their way out: rows of the transaction that caused them, published right after the
 * commit by the process that wrote them. A sweeper publishes what that missed, also of other processes. At least once,
 * in no order.
 */
export class Outbox implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = loggerFor('outbox');
  private readonly table: OutboxTable;
  private readonly publishing = new Map<string, Promise<void>>();
  private sweeping: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly bus: EventBus,
    private readonly schema: OutboxSchema,
  ) {
    this.table = new OutboxTable(dataSource, schema);
  }

  /**
   * Runs `work` in a transaction and publishes what it emitted once that is committed. Returns after the commit and
   * does not wait for the publication, which can't fail for good.
   */
  async transaction<T>(work: (transaction: OutboxTransaction) => Promise<T>): Promise<T> {
    const rows: OutboxRow[] = [];
    const result = await this.dataSource.transaction(async (manager) => {
      const { queryRunner } = manager;
      if (queryRunner === undefined) throw new Error('The transaction has no query runner.');
      const done = await work({
        manager,
        queryRunner,
        emit: (topic, assetId, data, key) => rows.push(this.row(topic, assetId, data, key)),
      });
      await this.table.insert(manager, rows);
      return done;
    });
    this.publishSoon(rows);
    return result;
  }

  /** For a caller with a transaction of its own: writes an event into it. Give the row to `publishSoon` after the commit. */
  async add(manager: EntityManager, topic: Topic, assetId: string, data: object, key?: string): Promise<OutboxRow> {
    const row = this.row(topic, assetId, data, key);
    await this.table.insert(manager, [row]);
    return row;
  }

  /** Publishes committed rows now, or leaves them to the sweeper: when it fails, or when many are on their way. */
  publishSoon(rows: OutboxRow[]): void {
    if (rows.length === 0 || this.publishing.size >= MAX_PUBLISHING) return;
    const task = this.publish(rows).finally(() => {
      for (const { id } of rows) this.publishing.delete(id);
    });
    for (const { id } of rows) this.publishing.set(id, task);
  }

  /** Publishes rows that are older than 2 s and still wait. @returns how many it took */
  async sweep(): Promise<number> {
    const rows = await this.table.claim(SWEEP_ROWS, [...this.publishing.keys()]);
    if (rows.length > 0) await this.publish(rows);
    return rows.length;
  }

  /** Housekeeping: removes rows that were published more than so many days ago. @returns how many */
  deletePublished(olderThanDays: number): Promise<number> {
    return this.table.deletePublished(olderThanDays);
  }

  onApplicationBootstrap(): void {
    watchOutbox(this.schema, () => this.table.pending());
    this.scheduleSweep();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    watchOutbox(this.schema, undefined);
    clearTimeout(this.timer);
    const work = Promise.allSettled([this.sweeping, ...this.publishing.values()]);
    await Promise.race([work, sleep(SHUTDOWN_WAIT_MS, undefined, { ref: false })]);
  }

  private row(topic: Topic, assetId: string, data: object, key?: string): OutboxRow {
    return outgoingEvent(SERVICES[this.schema], topic, assetId, data, key);
  }

  /** Never rejects. */
  private async publish(rows: OutboxRow[]): Promise<void> {
    try {
      await this.bus.publish(rows);
      await this.table.markPublished(rows);
    } catch (error) {
      if (error instanceof UnsendableMessageError && rows.length > 1) {
        for (const row of rows) await this.publish([row]);
        return;
      }
      await this.noteFailure(rows, error).catch((failure: unknown) => {
        this.log.warn({ err: failure }, 'the outbox could not be written; its claims run out');
      });
    }
  }

  private async noteFailure(rows: OutboxRow[], error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof UnsendableMessageError) {
      await this.table.park(rows, reason);
      countParked(this.schema, rows.length);
      this.log.error({ err: error, ids: rows.map(({ id }) => id) }, 'a message can never be sent; it is parked');
      return;
    }
    this.log[isDependencyAway(error) ? 'info' : 'error'](
      { err: error, rows: rows.length },
      'publishing failed, later again',
    );
    await this.table.postpone(rows, reason);
  }

  private scheduleSweep(): void {
    if (this.stopped) return;
    const jitter = 0.8 + 0.4 * Math.random();
    this.timer = setTimeout(() => {
      this.sweeping = this.sweepAll().finally(() => {
        this.scheduleSweep();
      });
    }, SWEEP_EVERY_MS * jitter).unref();
  }

  private async sweepAll(): Promise<void> {
    try {
      while (!this.stopped && (await this.sweep()) === SWEEP_ROWS);
    } catch (error) {
      this.log.warn({ err: error }, 'the outbox could not be swept');
    }
  }
}
