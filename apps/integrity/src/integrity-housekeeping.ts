import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { forgetMessages } from '#ingest/forget-messages.js';
import { IngestConfig } from '#ingest/ingest.config.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { Housekeeping, type Chores } from '#jobs/housekeeping.js';
import { TrafficConfig } from './ingest/ingest.config.js';
import { forgetHosts, forgetSeenEvents, forgetSessions } from './ingest/retention.js';
import { IntegrityOutbox } from './integrity-outbox.js';
import { Ledger } from './ledger/ledger.js';
import { eraseExpiredSamples } from './ledger/samples.js';

/** Removes what has outlived its days; addresses before all. */
@Injectable()
export class IntegrityHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(IntegrityOutbox) outbox: IntegrityOutbox,
    @Inject(Ledger) ledger: Ledger,
    @Inject(IngestConfig) { INGEST_INBOX_DAYS }: IngestConfig,
    @Inject(TrafficConfig) { SESSION_RETENTION_DAYS }: TrafficConfig,
    @Inject(HousekeepingConfig) { HOUSEKEEPING_INTERVAL_MS, OUTBOX_DAYS }: HousekeepingConfig,
  ) {
    super(HOUSEKEEPING_INTERVAL_MS);
    this.chores = {
      'sample addresses': () => eraseExpiredSamples(dataSource, ledger),
      sessions: () => forgetSessions(dataSource, SESSION_RETENTION_DAYS),
      'seen events': () => forgetSeenEvents(dataSource, SESSION_RETENTION_DAYS),
      hosts: () => forgetHosts(dataSource, SESSION_RETENTION_DAYS),
      'counted messages': () => forgetMessages(dataSource, 'integrity', INGEST_INBOX_DAYS),
      'published outbox rows': () => outbox.deletePublished(OUTBOX_DAYS),
    };
  }
}
