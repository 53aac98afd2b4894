import { Module } from '@nestjs/common';
import { DatabaseModule } from '#database/database.module.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { JobConfig } from '#jobs/job.config.js';
import { MessagingModule } from '#messaging/messaging.module.js';
import { configProvider } from '#runtime/config.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { StorageModule } from '#storage/storage.module.js';
import { ImportHousekeeping } from './import-housekeeping.js';
import { ImportQueue } from './import-queue.js';
import { ImportRunner } from './import-runner.js';
import { ImportWorkerConfig } from './import-worker.config.js';
import { ImportsConsumer } from './imports.consumer.js';
import { ImportsOutbox } from './imports-outbox.js';
import { RunImport } from './run-import.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [ImportsConsumer],
  providers: [
    configProvider(ImportWorkerConfig),
    configProvider(JobConfig),
    configProvider(HousekeepingConfig),
    ImportsOutbox,
    RunImport,
    ImportQueue,
    ImportRunner,
    ImportHousekeeping,
  ],
})
export class ImportWorkerModule {}
