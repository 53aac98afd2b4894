import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { JobConfig } from '#jobs/job.config.js';
import { JobRunner, type Slot } from '#jobs/job-runner.js';
import { gauge } from '#runtime/metrics.js';
import type { FitPool } from './fit-pool.js';
import { LIFT_TESTS } from './lift-tests.js';
import { MIX_RUNS } from './mix-runs.js';
import type { LiftWork, MixWork } from './modeling-job.js';
import { ModelingQueue, type QueueParts } from './modeling-queue.js';
import { RunLift, type RunLiftParts } from './run-lift.js';
import { RunMix, type RunMixParts } from './run-mix.js';

export interface ModelingRunnerOptions extends Omit<QueueParts, 'leaseMs'> {
  pool: FitPool;
  threads: number;
  jobs: JobConfig;
  prepareMix: RunMixParts['prepare'];
  prepareLift: RunLiftParts['prepare'];
}

/** Works on model runs and lift tests from the start of the process to its end. */
export class ModelingRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly mixes: JobRunner<MixWork>;
  private readonly lifts: JobRunner<LiftWork>;

  constructor(private readonly options: ModelingRunnerOptions) {
    const { jobs, pool, prepareMix, prepareLift, threads } = options;
    const parts: QueueParts = { ...options, leaseMs: jobs.JOB_LEASE_MS };
    const mix = new RunMix({ ...options, pool, prepare: prepareMix });
    const lift = new RunLift({ ...options, pool, prepare: prepareLift });
    const mixQueue = new ModelingQueue(MIX_RUNS, parts, (work, fence, signal) => mix.run(work, fence, signal));
    const liftQueue = new ModelingQueue(LIFT_TESTS, parts, (work, fence, signal) => lift.run(work, fence, signal));
    const mixes = new JobRunner(mixQueue, mixSlots(threads), jobs);
    const lifts = new JobRunner(liftQueue, Array<Slot>(Math.max(1, Math.floor(threads / 2))).fill('any'), jobs);
    this.mixes = mixes;
    this.lifts = lifts;
    gauge({
      name: 'tallyport_model_jobs_running',
      help: 'Model runs and lift tests that this process works on now',
      labelNames: ['kind'],
      collect() {
        this.set({ kind: MIX_RUNS.name }, mixes.jobsRunning);
        this.set({ kind: LIFT_TESTS.name }, lifts.jobsRunning);
      },
    });
    gauge({
      name: 'tallyport_model_tasks_waiting',
      help: 'Computations that wait for a free thread',
      collect() {
        this.set(pool.tasksWaiting);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.mixes.start();
    this.lifts.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.mixes.stop(), this.lifts.stop()]);
    await this.options.pool.close();
  }

  /** A run or a test was requested. */
  wake(): void {
    this.mixes.wake();
    this.lifts.wake();
  }
}

/** As many as threads; the last is kept for runs that somebody asked for, unless it is the only one. */
function mixSlots(threads: number): Slot[] {
  return Array.from({ length: threads }, (_, slot) => (slot > 0 && slot === threads - 1 ? 'urgent' : 'any'));
}
