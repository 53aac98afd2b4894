import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { Housekeeping, type Chores } from '#jobs/housekeeping.js';
import { ObjectStore } from '#storage/object-store.js';
import { ImportWorkerConfig } from './import-worker.config.js';
import { ImportsOutbox } from './imports-outbox.js';

/** Removes what has outlived its days: finished jobs with their reports, published outbox rows, uploaded files. */
@Injectable()
export class ImportHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ImportsOutbox) outbox: ImportsOutbox,
    @Inject(ObjectStore) objects: ObjectStore,
    @Inject(ImportWorkerConfig) private readonly config: ImportWorkerConfig,
    @Inject(HousekeepingConfig) { HOUSEKEEPING_INTERVAL_MS, OUTBOX_DAYS }: HousekeepingConfig,
  ) {
    super(HOUSEKEEPING_INTERVAL_MS);
    this.chores = {
      'finished imports': () => this.removeFinishedJobs(),
      'published outbox rows': () => outbox.deletePublished(OUTBOX_DAYS),
      'stored files': () => objects.expire(new Date()),
    };
  }

  /** A report goes with its job. */
  async removeFinishedJobs(): Promise<number> {
    const [removed] = await this.dataSource.query<{ jobs: number }[]>(
      `WITH gone AS (
         DELETE FROM imports.job WHERE finished_at < now() - $1 * interval '1 day' RETURNING asset_id, import_id
       ), reports AS (
         DELETE FROM imports.report r USING gone WHERE r.asset_id = gone.asset_id AND r.import_id = gone.import_id
       ) SELECT count(*)::int AS jobs FROM gone`,
      [this.config.IMPORT_JOB_DAYS],
    );
    return removed?.jobs ?? 0;
  }
}
