import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { ExportService } from '#contracts/exports.js';
import { poolSizeOf } from '#database/data-source.js';
import type { Outbox } from '#messaging/outbox.js';
import { gauge } from '#runtime/metrics.js';
import { cleanSpoolDirectory } from '#storage/body-spool.js';
import type { ObjectStore } from '#storage/object-store.js';
import type { ExportDefinition } from './export-definition.js';
import type { ExportWork } from './export-job.js';
import { ExportQueue } from './export-queue.js';
import { SpareConnections } from './export-snapshot.js';
import type { ExportConfig } from './export.config.js';
import type { JobConfig } from './job.config.js';
import { JobRunner, type Slot } from './job-runner.js';

export interface ExportRunnerOptions {
  service: ExportService;
  definitions: readonly ExportDefinition[];
  dataSource: DataSource;
  outbox: Outbox;
  objects: ObjectStore;
  config: ExportConfig;
  jobs: JobConfig;
}

const runners = new Map<ExportService, JobRunner<ExportWork>>();
gauge({
  name: 'tallyport_exports_running',
  help: 'Files that this process builds now',
  labelNames: ['service'],
  collect() {
    for (const [service, runner] of runners) this.set({ service }, runner.jobsRunning);
  },
});

/** Builds the files of a service from the start of the process to its end. */
export class ExportRunner implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly queue: ExportQueue;
  private readonly runner: JobRunner<ExportWork>;

  constructor(private readonly options: ExportRunnerOptions) {
    const { service, definitions, dataSource, config, jobs } = options;
    const { slots, spareConnections } = shareOfPool(poolSizeOf(dataSource), config.EXPORT_CONCURRENCY);
    this.queue = new ExportQueue(
      {
        ...options,
        definitions: new Map(definitions.map((definition) => [definition.file, definition])),
        spare: new SpareConnections(spareConnections),
        spoolDirectory: config.SPOOL_DIRECTORY,
      },
      jobs.JOB_LEASE_MS,
    );
    this.runner = new JobRunner(this.queue, slots, jobs);
    runners.set(service, this.runner);
  }

  /** Files of a process that died. */
  async onModuleInit(): Promise<void> {
    await cleanSpoolDirectory(this.options.config.SPOOL_DIRECTORY);
  }

  onApplicationBootstrap(): void {
    this.runner.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner.stop();
    runners.delete(this.options.service);
  }

  /** An export was requested. */
  wake(): void {
    this.runner.wake();
  }
}

/**
 * Exports take at most half of the connections: leases are renewed and jobs are ended on the others. The last slot is
 * kept for small files that a client waits for, unless it is the only one.
 */
export function shareOfPool(poolSize: number, concurrency: number): { slots: Slot[]; spareConnections: number } {
  const share = Math.max(1, Math.floor(poolSize / 2));
  const count = Math.min(concurrency, share);
  const slots = Array.from({ length: count }, (_, slot): Slot => (slot > 0 && slot === count - 1 ? 'urgent' : 'any'));
  return { slots, spareConnections: share - count };
}
