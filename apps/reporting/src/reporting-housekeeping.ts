import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { Housekeeping, type Chores } from '#jobs/housekeeping.js';
import { ReportingConfig } from './reporting.config.js';
import { ReportingOutbox } from './reporting-outbox.js';
import { abandonDeadRebuilds } from './rollups/dead-rebuilds.js';

const DELETE_ROWS = 10_000;

/** Removes what has outlived its days, and what rebuilds left behind that died. */
@Injectable()
export class ReportingHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ReportingOutbox) outbox: ReportingOutbox,
    @Inject(ReportingConfig) private readonly config: ReportingConfig,
    @Inject(HousekeepingConfig) { HOUSEKEEPING_INTERVAL_MS, OUTBOX_DAYS }: HousekeepingConfig,
  ) {
    super(HOUSEKEEPING_INTERVAL_MS);
    this.chores = {
      'counted messages': () => this.forgetMessages(),
      'published outbox rows': () => outbox.deletePublished(OUTBOX_DAYS),
      'dead rebuilds of rollups': () => abandonDeadRebuilds(dataSource),
    };
  }

  /** No topic keeps a message for so long, so none can come again. @returns how many */
  async forgetMessages(): Promise<number> {
    let forgotten = 0;
    for (;;) {
      const [, count] = await this.dataSource.query<[unknown[], number]>(
        `DELETE FROM reporting.inbox WHERE message_id IN (
           SELECT message_id FROM reporting.inbox WHERE received_at < clock_timestamp() - $1 * interval '1 day' LIMIT ${DELETE_ROWS})`,
        [this.config.INGEST_INBOX_DAYS],
      );
      forgotten += count;
      if (count < DELETE_ROWS) return forgotten;
    }
  }
}
