import { Module } from '@nestjs/common';
import { DatabaseModule } from '#database/database.module.js';
import { exportProviders } from '#jobs/export-providers.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { JobConfig } from '#jobs/job.config.js';
import { IngestConfig } from '#ingest/ingest.config.js';
import { MessagingModule } from '#messaging/messaging.module.js';
import { configProvider } from '#runtime/config.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { StorageModule } from '#storage/storage.module.js';
import { ExportsConsumer } from './exports.consumer.js';
import { REPORTING_EXPORTS } from './exports/reporting-exports.js';
import { ConsentConsumer } from './ingest/consent.consumer.js';
import { EventsConsumer } from './ingest/events.consumer.js';
import { IdentitiesConsumer } from './ingest/identities.consumer.js';
import { ReportingHousekeeping } from './reporting-housekeeping.js';
import { ReportingOutbox } from './reporting-outbox.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [ExportsConsumer],
  providers: [
    configProvider(IngestConfig),
    configProvider(JobConfig),
    configProvider(HousekeepingConfig),
    ReportingOutbox,
    EventsConsumer,
    ConsentConsumer,
    IdentitiesConsumer,
    ReportingHousekeeping,
    ...exportProviders('reporting', REPORTING_EXPORTS, ReportingOutbox),
  ],
})
export class ReportingModule {}
