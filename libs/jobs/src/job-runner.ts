import { setTimeout as sleep } from 'node:timers/promises';
import { loggerFor } from '#runtime/logger.js';
import { withContext, type WorkContext } from '#runtime/work-context.js';
import type { JobConfig } from './job.config.js';
import { retryWhileAway } from './retry-while-away.js';

/** A job of which this process holds the lease. */
export interface ClaimedJob {
  id: string;
  /** When the work must be rolled back. */
  deadlineAt: Date;
  /** What log lines say of it. */
  context: WorkContext;
}

/**
 * One kind of job: the statements on its table, and the work. Each `run` ends its job itself, in the transaction of its
 * data, fenced by worker and attempt; the runner only decides when to start, when to stop, and when to try again.
 */
export interface JobQueue<Job extends ClaimedJob> {
  /** Takes the next job that `slot` may run, or nothing. */
  claim(slot: Slot): Promise<Job | undefined>;
  /** Prolongs the lease; false when the job is no longer ours (canceled, timed out, taken by another). */
  renew(job: Job): Promise<boolean>;
  /** Hands an unfinished job back to the queue. */
  release(job: Job): Promise<void>;
  /** Requeues or fails jobs whose worker is gone, and fails those whose time is up. */
  sweep(): Promise<void>;
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** The deadline has passed: ends the job as timed out. */
  timeOut(job: Job): Promise<void>;
}

/** `urgent` slots run only jobs that somebody waits for. */
export type Slot = 'any' | 'urgent';

/** Why a running job was stopped; the reason of its AbortSignal. */
export class JobStopped extends Error {
  constructor(readonly why: 'deadline' | 'lease_lost' | 'shutdown') {
    super(`the job was stopped: ${why}`);
  }
}

const SWEEP_EVERY_MS = 1_000;

/** Runs claimed jobs, one per slot. A message only wakes it: with the poll alone it is still correct. */
export class JobRunner<Job extends ClaimedJob> {
  private readonly log = loggerFor('jobs');
  private readonly stopping = new AbortController();
  private readonly running = new Set<AbortController>();
  private loops: Promise<void>[] = [];
  private readonly alarms = new Set<Alarm>();

  constructor(
    private readonly queue: JobQueue<Job>,
    private readonly slots: readonly Slot[],
    private readonly config: JobConfig,
  ) {}

  start(): void {
    this.loops = [...this.slots.map((slot) => this.work(slot)), this.sweep()];
  }

  /** There may be something to do. */
  wake(): void {
    for (const alarm of this.alarms) alarm.ring();
  }

  get jobsRunning(): number {
    return this.running.size;
  }

  /** Claims nothing more, lets running jobs go on for the grace period, then hands them back. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    const grace = setTimeout(() => {
      for (const job of this.running) job.abort(new JobStopped('shutdown'));
    }, this.config.JOB_SHUTDOWN_GRACE_MS);
    await Promise.all(this.loops);
    clearTimeout(grace);
  }

  private async work(slot: Slot): Promise<void> {
    const alarm = new Alarm();
    this.alarms.add(alarm);
    while (!this.stopping.signal.aborted) {
      const job = await this.queue.claim(slot).catch((error: unknown) => {
        this.log.warn({ err: error }, 'could not look for jobs');
        return undefined;
      });
      if (job === undefined) await alarm.wait(this.config.JOB_POLL_MS * (0.75 + Math.random() / 2));
      else await withContext(job.context, () => this.hold(job));
    }
  }

  private async hold(job: Job): Promise<void> {
    const abort = new AbortController();
    this.running.add(abort);
    const stop = (why: JobStopped['why']) => () => {
      abort.abort(new JobStopped(why));
    };
    const deadline = setTimeout(stop('deadline'), Math.max(0, job.deadlineAt.getTime() - Date.now()));
    const renewal = setInterval(() => {
      this.queue.renew(job).then(
        (ours) => {
          if (!ours) stop('lease_lost')();
        },
        (error: unknown) => {
          this.log.warn({ err: error }, 'could not renew the lease');
        },
      );
    }, this.config.JOB_LEASE_RENEWAL_MS);
    try {
      await this.runUntilEnded(job, abort.signal);
    } catch (error) {
      this.log.error({ err: error }, 'a job could not be ended; its lease will run out');
    } finally {
      clearTimeout(deadline);
      clearInterval(renewal);
      this.running.delete(abort);
    }
  }

  /** While a dependency is away the job is kept and tried again, until its deadline. */
  private async runUntilEnded(job: Job, signal: AbortSignal): Promise<void> {
    try {
      await retryWhileAway(() => this.queue.run(job, signal), signal);
    } catch (error) {
      if (!signal.aborted && !(error instanceof JobStopped)) throw error;
      await this.stopped(job, signal.aborted ? signal.reason : error);
    }
  }

  private async stopped(job: Job, reason: unknown): Promise<void> {
    const why = reason instanceof JobStopped ? reason.why : 'lease_lost';
    this.log.warn({ why }, 'a job was stopped');
    if (why === 'deadline') await this.queue.timeOut(job);
    if (why === 'shutdown') await this.queue.release(job);
  }

  private async sweep(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.queue.sweep().catch((error: unknown) => {
        this.log.warn({ err: error }, 'could not sweep');
      });
      await sleep(SWEEP_EVERY_MS * (0.75 + Math.random() / 2), undefined, { signal: this.stopping.signal }).catch(
        () => undefined,
      );
    }
  }
}

/** A sleep that can be cut short; a ring that comes before the sleep is not lost. */
class Alarm {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.rung = false;
    this.wake = undefined;
  }
}
