import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { loggerFor } from '#runtime/logger.js';
import { gauge } from '#runtime/metrics.js';

/**
 * Why a wait is over: the job has ended, the time is up, this gateway stops while the job goes on, what the result needs
 * is away, or the client has left.
 */
export type WaitEnd = 'ended' | 'deadline' | 'shutdown' | 'unavailable' | 'left';

export interface Wait {
  end: Promise<WaitEnd>;
  /** Forgets a client that has gone; its job goes on. Without effect once the wait is over. */
  leave: () => void;
}

export interface WaitersOptions {
  /** Takes ids as `$1` and gives those of ended jobs as `id`. */
  endedSql: string;
  pollMs: number;
  gauge: { name: string; help: string };
}

/**
 * Requests that wait for their job. An event of the bus wakes them; a poll for all at once makes sure that a lost event
 * costs one interval and nothing else.
 */
export abstract class JobWaiters implements BeforeApplicationShutdown {
  private readonly log = loggerFor('waiters');
  private readonly waiting = new Map<string, (end: WaitEnd) => void>();
  private polling: Promise<void> | undefined;
  private stopped = false;

  protected constructor(
    private readonly dataSource: DataSource,
    private readonly options: WaitersOptions,
  ) {
    const { waiting } = this;
    gauge({
      ...options.gauge,
      collect() {
        this.set(waiting.size);
      },
    });
  }

  /** Registers at once; call it before the job is published. */
  wait(id: string, deadline: Date): Wait {
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
        this.waiting.delete(id);
        resolve(reason);
      };
    });
    if (this.stopped) finish('shutdown');
    else this.waiting.set(id, finish);
    this.polling ??= this.poll();
    return {
      end,
      leave: () => {
        finish('left');
      },
    };
  }

  /** The job has ended; ids that nobody waits for here are another gateway's. */
  wake(id: string): void {
    this.waiting.get(id)?.('ended');
  }

  /** Before HTTP closes, or it would wait for the waiters. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.finishAll('shutdown');
    await this.polling;
  }

  protected finishAll(end: WaitEnd): void {
    for (const finish of [...this.waiting.values()]) finish(end);
  }

  /** Done at each poll, behind the look at the jobs. */
  protected lookFurther(): Promise<void> {
    return Promise.resolve();
  }

  private async poll(): Promise<void> {
    while (this.waiting.size > 0) {
      await sleep(this.options.pollMs * (0.75 + Math.random() / 2), undefined, { ref: false });
      if (this.waiting.size === 0) break;
      try {
        const ended = await this.dataSource.query<{ id: string }[]>(this.options.endedSql, [[...this.waiting.keys()]]);
        for (const { id } of ended) this.wake(id);
        await this.lookFurther();
      } catch (error) {
        this.log.warn({ err: error }, 'could not look for ended jobs');
      }
    }
    this.polling = undefined;
  }
}
