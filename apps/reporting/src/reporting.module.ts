import { Module } from '@nestjs/common';
import { DatabaseModule } from '#database/database.module.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { JobConfig } from '#jobs/job.config.js';
import { MessagingModule } from '#messaging/messaging.module.js';
import { configProvider } from '#runtime/config.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { StorageModule } from '#storage/storage.module.js';
import { ReportingOutbox } from './reporting-outbox.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [],
  providers: [configProvider(JobConfig), configProvider(HousekeepingConfig), ReportingOutbox],
})
export class ReportingModule {}
