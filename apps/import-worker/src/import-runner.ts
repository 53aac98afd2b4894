import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolSizeOf } from '#database/data-source.js';
import { JobConfig } from '#jobs/job.config.js';
import { JobRunner, type Slot } from '#jobs/job-runner.js';
import { gauge } from '#runtime/metrics.js';
import type { ImportWork } from './import-job.js';
import { ImportQueue } from './import-queue.js';
import { ImportWorkerConfig } from './import-worker.config.js';

/** Runs imports from the start of the process to its end. */
@Injectable()
export class ImportRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: JobRunner<ImportWork>;

  constructor(
    @Inject(ImportQueue) queue: ImportQueue,
    @Inject(ImportWorkerConfig) config: ImportWorkerConfig,
    @Inject(JobConfig) jobs: JobConfig,
    @Inject(DataSource) dataSource: DataSource,
  ) {
    // Each import holds one connection, and needs another now and then.
    const concurrency = Math.min(config.IMPORT_CONCURRENCY, poolSizeOf(dataSource) - 1);
    const runner = new JobRunner(queue, slotsFor(concurrency), jobs);
    this.runner = runner;
    gauge({
      name: 'tallyport_imports_running',
      help: 'Imports that this worker runs now',
      collect() {
        this.set(runner.jobsRunning);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.runner.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner.stop();
  }

  wake(): void {
    this.runner.wake();
  }
}

/** One slot is kept for sync imports, unless it is the only one. */
function slotsFor(concurrency: number): Slot[] {
  return Array.from({ length: concurrency }, (_, slot) => (slot > 0 && slot === concurrency - 1 ? 'urgent' : 'any'));
}
