import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { loggerFor } from '#runtime/logger.js';

/** Chores by name; each says how many things it removed. */
export type Chores = Record<string, () => Promise<number>>;

/** Does chores again and again while the process lives; one that fails is logged and tried again next round. */
export abstract class Housekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = loggerFor('housekeeping');
  private readonly stopping = new AbortController();
  private rounds: Promise<void> = Promise.resolve();

  protected abstract readonly chores: Chores;

  constructor(private readonly intervalMs: number) {}

  onApplicationBootstrap(): void {
    this.rounds = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds;
  }

  private async round(): Promise<void> {
    for (const [name, chore] of Object.entries(this.chores)) {
      if (this.stopping.signal.aborted) return;
      try {
        const removed = await chore();
        if (removed > 0) this.log.info({ removed }, `removed ${name}`);
      } catch (error) {
        this.log.warn({ err: error }, `could not remove ${name}`);
      }
    }
  }

  /** The first round waits too: a start has better things to do, and several instances shall not begin together. */
  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleep(this.intervalMs * (0.5 + Math.random()), undefined, {
        signal: this.stopping.signal,
        ref: false,
      }).catch(() => undefined);
      await this.round();
    }
  }
}
