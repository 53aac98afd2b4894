import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseModule } from '#database/database.module.js';
import { exportProviders } from '#jobs/export-providers.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { JobConfig } from '#jobs/job.config.js';
import { MessagingModule } from '#messaging/messaging.module.js';
import { configProvider } from '#runtime/config.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { StorageModule } from '#storage/storage.module.js';
import { AutomaticRunsConsumer } from './automatic-runs.consumer.js';
import { MODELING_EXPORTS } from './exports/modeling-exports.js';
import { ExportsConsumer } from './exports.consumer.js';
import { ModelingHousekeeping } from './modeling-housekeeping.js';
import { ModelingOutbox } from './modeling-outbox.js';
import { ModelingConfig } from './modeling.config.js';
import { prepareLift } from './prepare/prepare-lift.js';
import { prepareMix } from './prepare/prepare-mix.js';
import { RequestsConsumer } from './requests.consumer.js';
import { AutomaticRuns } from './runs/automatic-runs.js';
import { FitPool } from './runs/fit-pool.js';
import { ModelingRunner } from './runs/modeling-runner.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [AutomaticRunsConsumer, RequestsConsumer, ExportsConsumer],
  providers: [
    configProvider(ModelingConfig),
    configProvider(JobConfig),
    configProvider(HousekeepingConfig),
    ModelingOutbox,
    AutomaticRuns,
    {
      provide: ModelingRunner,
      inject: [DataSource, ModelingOutbox, ModelingConfig, JobConfig],
      useFactory: (
        dataSource: DataSource,
        outbox: ModelingOutbox,
        { MODEL_WORKERS: threads, MODEL_TIMEOUT_MS: timeoutMs }: ModelingConfig,
        jobs: JobConfig,
      ) => {
        const pool = new FitPool({ threads });
        return new ModelingRunner({ dataSource, outbox, pool, threads, timeoutMs, jobs, prepareMix, prepareLift });
      },
    },
    ModelingHousekeeping,
    ...exportProviders('modeling', MODELING_EXPORTS, ModelingOutbox),
  ],
})
export class MmmLiftModule {}
