import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { loggerFor } from '#runtime/logger.js';
import { gauge } from '#runtime/metrics.js';

const POLL_MS = 1_000;

/** Why a wait is over: the import has ended, the time is up, or this gateway stops while the import goes on. */
export type WaitEnd = 'ended' | 'deadline' | 'shutdown';

/**
 * Sync requests that wait for their import. An event of the bus wakes them; a poll for all at once makes sure that a
 * lost event costs a second and nothing else.
 */
@Injectable()
export class ImportWaiters implements BeforeApplicationShutdown {
  private readonly log = loggerFor('import-waiters');
  private readonly waiting = new Map<string, (end: WaitEnd) => void>();
  private polling: Promise<void> | undefined;
  private stopped = false;

  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    const { waiting } = this;
    gauge({
      name: 'tallyport_sync_imports_waiting',
      help: 'Clients that wait for a sync import',
      collect() {
        this.set(waiting.size);
      },
    });
  }

  /**
   * Registers at once; call it before the import is published. `leave` forgets a client that has gone; its import goes on.
   */
  wait(importId: string, deadline: Date): { end: Promise<WaitEnd>; leave: () => void } {
    let finish: (end: WaitEnd) => void = () => undefined;
    const end = new Promise<WaitEnd>((resolve) => {
      const timer = setTimeout(
        () => {
          finish('deadline');
        },
        Math.max(0, deadline.getTime() - Date.now()),
      );
      finish = (reason) => {
        clearTimeout(timer);
        this.waiting.delete(importId);
        resolve(reason);
      };
    });
    if (this.stopped) finish('shutdown');
    else this.waiting.set(importId, finish);
    this.polling ??= this.poll();
    return {
      end,
      leave: () => {
        finish('ended');
      },
    };
  }

  /** The import has ended; ids that nobody waits for here are another gateway's. */
  wake(importId: string): void {
    this.waiting.get(importId)?.('ended');
  }

  /** Before HTTP closes, or it would wait for the waiters. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const finish of [...this.waiting.values()]) finish('shutdown');
    await this.polling;
  }

  private async poll(): Promise<void> {
    while (this.waiting.size > 0) {
      await sleep(POLL_MS * (0.75 + Math.random() / 2), undefined, { ref: false });
      if (this.waiting.size === 0) break;
      try {
        const ended = await this.dataSource.query<{ import_id: string }[]>(
          `SELECT import_id FROM imports.job WHERE import_id = ANY($1) AND status IN ('succeeded', 'failed', 'canceled')`,
          [[...this.waiting.keys()]],
        );
        for (const { import_id: importId } of ended) this.wake(importId);
      } catch (error) {
        this.log.warn({ err: error }, 'could not look for ended imports');
      }
    }
    this.polling = undefined;
  }
}
