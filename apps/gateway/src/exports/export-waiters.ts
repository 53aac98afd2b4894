import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ObjectStore } from '#storage/object-store.js';
import { JobWaiters } from '../waiting/job-waiters.js';

const ENDED = `SELECT export_id AS id FROM exports.job WHERE export_id = ANY($1) AND status IN ('succeeded', 'failed')`;
/** One failure may be a hiccup. */
const FAILURES_IN_A_ROW = 2;

/**
 * Clients that wait for their file. When this gateway finds the object storage away they are answered at once: their
 * files can't be stored, or not be read, until it is back.
 */
@Injectable()
export class ExportWaiters extends JobWaiters {
  private failures = 0;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
  ) {
    super(dataSource, {
      endedSql: ENDED,
      pollMs: 1_000,
      gauge: { name: 'tallyport_exports_waiting', help: 'Clients that wait for a file' },
    });
  }

  protected override async lookFurther(): Promise<void> {
    try {
      await this.objects.check();
      this.failures = 0;
    } catch {
      if (++this.failures >= FAILURES_IN_A_ROW) this.finishAll('unavailable');
    }
  }
}

/** Clients that wait for an estimate. No event tells of its end, so it is looked for often. */
@Injectable()
export class EstimateWaiters extends JobWaiters {
  constructor(@Inject(DataSource) dataSource: DataSource) {
    super(dataSource, {
      endedSql: ENDED,
      pollMs: 40,
      gauge: { name: 'tallyport_estimates_waiting', help: 'Clients that wait for an estimate' },
    });
  }
}
