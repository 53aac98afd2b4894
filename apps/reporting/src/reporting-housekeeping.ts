import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { forgetMessages } from '#ingest/forget-messages.js';
import { IngestConfig } from '#ingest/ingest.config.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { Housekeeping, type Chores } from '#jobs/housekeeping.js';
import { ReportingOutbox } from './reporting-outbox.js';
import { abandonDeadRebuilds } from './rollups/dead-rebuilds.js';

/** Removes what has outlived its days, and what rebuilds left behind that died. */
@Injectable()
export class ReportingHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(ReportingOutbox) outbox: ReportingOutbox,
    @Inject(IngestConfig) { INGEST_INBOX_DAYS }: IngestConfig,
    @Inject(HousekeepingConfig) { HOUSEKEEPING_INTERVAL_MS, OUTBOX_DAYS }: HousekeepingConfig,
  ) {
    super(HOUSEKEEPING_INTERVAL_MS);
    this.chores = {
      'counted messages': () => forgetMessages(dataSource, 'reporting', INGEST_INBOX_DAYS),
      'published outbox rows': () => outbox.deletePublished(OUTBOX_DAYS),
      'dead rebuilds of rollups': () => abandonDeadRebuilds(dataSource),
    };
  }
}
