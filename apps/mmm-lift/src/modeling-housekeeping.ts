import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { Housekeeping, type Chores } from '#jobs/housekeeping.js';
import { ModelingOutbox } from './modeling-outbox.js';

/** No event is delivered again after so long. */
const INBOX_DAYS = 30;

/** Removes what has outlived its days. Runs and tests stay: they are what decisions were made on. */
@Injectable()
export class ModelingHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ModelingOutbox) outbox: ModelingOutbox,
    @Inject(HousekeepingConfig) { HOUSEKEEPING_INTERVAL_MS, OUTBOX_DAYS }: HousekeepingConfig,
  ) {
    super(HOUSEKEEPING_INTERVAL_MS);
    this.chores = {
      'seen events': () => this.forgetSeenEvents(),
      'published outbox rows': () => outbox.deletePublished(OUTBOX_DAYS),
    };
  }

  async forgetSeenEvents(): Promise<number> {
    const [, forgotten] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM modeling.consumer_inbox WHERE seen_at < clock_timestamp() - $1 * interval '1 day'`,
      [INBOX_DAYS],
    );
    return forgotten;
  }
}
