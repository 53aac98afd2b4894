import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseModule } from '#database/database.module.js';
import { IngestConfig } from '#ingest/ingest.config.js';
import { exportProviders } from '#jobs/export-providers.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { JobConfig } from '#jobs/job.config.js';
import { MessagingModule } from '#messaging/messaging.module.js';
import { configProvider } from '#runtime/config.js';
import { loggerFor } from '#runtime/logger.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { StorageModule } from '#storage/storage.module.js';
import { INTEGRITY_EXPORTS } from './exports/integrity-exports.js';
import { LedgerReader } from './exports/ledger-reader.js';
import { ExportsConsumer } from './exports.consumer.js';
import { CostImportsConsumer } from './ingest/cost-imports.consumer.js';
import { TrafficConsumer } from './ingest/events.consumer.js';
import { TrafficConfig } from './ingest/ingest.config.js';
import { IntegrityConfig } from './integrity.config.js';
import { IntegrityHousekeeping } from './integrity-housekeeping.js';
import { IntegrityOutbox } from './integrity-outbox.js';
import { LEDGER_PROVIDERS } from './ledger/ledger-providers.js';
import { LedgerConfig } from './ledger/ledger.config.js';
import { Ledger } from './ledger/ledger.js';
import { NetworkKnowledge } from './networks/network-knowledge.js';
import { NetworksConfig } from './networks/networks.config.js';
import { Scorer } from './scoring/scorer.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [ExportsConsumer, CostImportsConsumer],
  providers: [
    configProvider(IntegrityConfig),
    configProvider(TrafficConfig),
    configProvider(NetworksConfig),
    configProvider(IngestConfig),
    configProvider(JobConfig),
    configProvider(HousekeepingConfig),
    IntegrityOutbox,
    ...LEDGER_PROVIDERS,
    {
      provide: NetworkKnowledge,
      inject: [NetworksConfig],
      useFactory: (config: NetworksConfig) =>
        NetworkKnowledge.load(config, (message) => {
          loggerFor('networks').warn(message);
        }),
    },
    TrafficConsumer,
    LedgerReader,
    IntegrityHousekeeping,
    {
      provide: Scorer,
      inject: [DataSource, IntegrityOutbox, Ledger, NetworkKnowledge, IntegrityConfig, LedgerConfig],
      useFactory: (
        dataSource: DataSource,
        outbox: IntegrityOutbox,
        ledger: Ledger,
        networks: NetworkKnowledge,
        config: IntegrityConfig,
        { SAMPLE_IP_RETENTION_DAYS: sampleDays }: LedgerConfig,
      ) => new Scorer({ dataSource, outbox, ledger, networks, config, sampleDays }),
    },
    ...exportProviders('integrity', INTEGRITY_EXPORTS, IntegrityOutbox),
  ],
})
export class IntegrityModule {}
