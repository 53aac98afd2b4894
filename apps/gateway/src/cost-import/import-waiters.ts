import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { JobWaiters } from '../waiting/job-waiters.js';

/** Sync requests that wait for their import. */
@Injectable()
export class ImportWaiters extends JobWaiters {
  constructor(@Inject(DataSource) dataSource: DataSource) {
    super(dataSource, {
      endedSql: `SELECT import_id AS id FROM imports.job WHERE import_id = ANY($1) AND status IN ('succeeded', 'failed', 'canceled')`,
      pollMs: 1_000,
      gauge: { name: 'tallyport_sync_imports_waiting', help: 'Clients that wait for a sync import' },
    });
  }
}
