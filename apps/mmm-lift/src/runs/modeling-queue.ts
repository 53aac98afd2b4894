import { hostname } from 'node:os';
import type { DataSource } from 'typeorm';
import { v4 as uuidv4 } from 'uuid';
import { RunFailure } from '#contracts/modeling/run-state.js';
import type { Fence } from '#jobs/end-import.js';
import { JobStopped, type JobQueue, type Slot } from '#jobs/job-runner.js';
import type { Outbox } from '#messaging/outbox.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { failJob, MAX_ATTEMPTS } from './end-job.js';
import { ours, type JobKind } from './job-kind.js';
import { jobDuration } from './modeling-metrics.js';
import type { ModelingWork } from './modeling-job.js';

const UNIQUE_VIOLATION = '23505';

export interface QueueParts {
  dataSource: DataSource;
  outbox: Outbox;
  leaseMs: number;
  /** Of one start. */
  timeoutMs: number;
}

/** The work of a job: ends it itself, fenced; what it throws ends it or starts it anew. @returns the status it gave it */
export type DoJob<Work> = (work: Work, fence: Fence, signal: AbortSignal) => Promise<'succeeded' | 'skipped'>;

/** The statements on `modeling.run` or `modeling.lift_test` by which instances share the jobs among them. */
export class ModelingQueue<Row, Work extends ModelingWork> implements JobQueue<Work> {
  private readonly log = loggerFor('models');
  private readonly worker = `${hostname()}-${process.pid}-${uuidv4().slice(0, 8)}`;

  constructor(
    private readonly kind: JobKind<Row, Work>,
    private readonly parts: QueueParts,
    private readonly doJob: DoJob<Work>,
  ) {}

  async claim(slot: Slot): Promise<Work | undefined> {
    const [rows] = await this.parts.dataSource.query<[Row[], number]>(this.kind.claim(slot), [
      this.worker,
      this.parts.leaseMs,
      this.parts.timeoutMs,
    ]);
    return rows[0] === undefined ? undefined : this.kind.workOf(rows[0]);
  }

  async renew(work: Work): Promise<boolean> {
    const [, renewed] = await this.parts.dataSource.query<[unknown, number]>(
      `UPDATE ${this.kind.table} SET lease_until = clock_timestamp() + $4 * interval '1 ms' WHERE ${ours(this.kind.id)}`,
      [work.id, this.worker, work.attempt, this.parts.leaseMs],
    );
    return renewed === 1;
  }

  /** Handed back on purpose: the start does not count. */
  async release(work: Work): Promise<void> {
    await this.giveBack(work.id, this.fence(work), 1, false);
  }

  /** Jobs whose worker died start anew, or fail when each of their starts ended so. */
  async sweep(): Promise<void> {
    const left = await this.parts.dataSource.query<{ id: string; worker: string; attempt: number }[]>(
      `SELECT ${this.kind.id} AS id, locked_by AS worker, attempt FROM ${this.kind.table}
        WHERE status = 'running' AND lease_until < clock_timestamp() LIMIT 100`,
    );
    for (const { id, worker, attempt } of left) {
      this.log.warn({ job: this.kind.name, id, attempt }, 'the worker of a job died');
      if (attempt < MAX_ATTEMPTS) await this.giveBack(id, { worker, attempt }, 0, true);
      else await this.fail(id, new RunFailure('internal'), { worker, attempt });
    }
  }

  /** What is foreseen fails the job at once; anything else starts it anew, a few times. */
  async run(work: Work, signal: AbortSignal): Promise<void> {
    const observe = jobDuration.startTimer({ kind: this.kind.name });
    try {
      observe({ status: await this.doJob(work, this.fence(work), signal) });
    } catch (error) {
      if (signal.aborted || error instanceof JobStopped || isDependencyAway(error)) throw error;
      observe({ status: await this.broken(work, error) });
    }
  }

  async timeOut(work: Work): Promise<void> {
    await this.fail(work.id, new RunFailure('timeout'), this.fence(work));
    jobDuration.observe({ kind: this.kind.name, status: 'timeout' }, this.parts.timeoutMs / 1000);
  }

  private async broken(work: Work, error: unknown): Promise<'failed' | 'again'> {
    const foreseen = error instanceof RunFailure;
    if (!foreseen) {
      this.log.error({ err: error, attempt: work.attempt }, 'a job broke');
      if (work.attempt < MAX_ATTEMPTS) {
        await this.giveBack(work.id, this.fence(work), 0, false);
        return 'again';
      }
    }
    await this.fail(work.id, foreseen ? error : new RunFailure('internal'), this.fence(work));
    return 'failed';
  }

  private async fail(id: string, failure: RunFailure, fence: Fence): Promise<void> {
    await this.parts.outbox.transaction((tx) => failJob(tx, this.kind, id, failure.problem, fence));
  }

  /** An import that queues another run of the target in the same instant makes it fail once. */
  private async giveBack(id: string, fence: Fence, uncounted: 0 | 1, onlyExpired: boolean): Promise<void> {
    const parameters = [id, fence.worker, fence.attempt, uncounted, onlyExpired];
    await this.parts.dataSource.query(this.kind.giveBack, parameters).catch((error: unknown) => {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      return this.parts.dataSource.query(this.kind.giveBack, parameters);
    });
  }

  private fence({ attempt }: Work): Fence {
    return { worker: this.worker, attempt };
  }
}
