import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DatabaseModule } from '#database/database.module.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { MessagingModule } from '#messaging/messaging.module.js';
import { configProvider } from '#runtime/config.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { DirectoryDownloadController } from '#storage/directory-download.controller.js';
import { StorageModule } from '#storage/storage.module.js';
import { AccessService } from './access/access.service.js';
import { BearerGuard } from './access/bearer.guard.js';
import { ChannelMappingController } from './channel-mapping/channel-mapping.controller.js';
import { ChannelMappingStore } from './channel-mapping/channel-mapping.js';
import { CollectController } from './collect/collect.controller.js';
import { CollectService } from './collect/collect.service.js';
import { CollectedCounts } from './collect/collected-counts.js';
import { CostImportController } from './cost-import/cost-import.controller.js';
import { CostImportService } from './cost-import/cost-import.service.js';
import { ImportEndsConsumer } from './cost-import/import-ends.consumer.js';
import { ImportJobs } from './cost-import/import-jobs.js';
import { ImportWaiters } from './cost-import/import-waiters.js';
import { EstimatesService } from './exports/estimates.service.js';
import { ExportEndsConsumer } from './exports/export-ends.consumer.js';
import { ExportJobs } from './exports/export-jobs.js';
import { ExportRecordsController } from './exports/export-records.controller.js';
import { ExportRecords } from './exports/export-records.js';
import { EstimateWaiters, ExportWaiters } from './exports/export-waiters.js';
import { ExportsController } from './exports/exports.controller.js';
import { ExportsService } from './exports/exports.service.js';
import { GatewayConfig } from './gateway.config.js';
import { GatewayHousekeeping } from './gateway-housekeeping.js';
import { GatewayOutbox } from './gateway-outbox.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { Allowlist } from './integrity/allowlist.js';
import { AllowlistController } from './integrity/allowlist.controller.js';
import { EntityList } from './integrity/entity-list.js';
import { IntegrityController } from './integrity/integrity.controller.js';
import { IntegrityFilesController } from './integrity/integrity-files.controller.js';
import { IntegrityStatusReader } from './integrity/integrity-status.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { UploadSlots } from './limits/upload-slots.js';
import { LiftTestsController } from './modeling/lift-tests.controller.js';
import { LiftTests } from './modeling/lift-tests.js';
import { MixRunsController } from './modeling/mix-runs.controller.js';
import { MixRuns } from './modeling/mix-runs.js';
import { ModelingFiles } from './modeling/modeling-files.js';
import { ModelingSettingsController } from './modeling/modeling-settings.controller.js';
import { ModelingSettingsStore } from './modeling/modeling-settings.js';
import { Submissions } from './modeling/submissions.js';
import { asyncApiDocument } from './published/asyncapi.js';
import { DocsController } from './published/docs.controller.js';
import { openApiDocument } from './published/openapi.js';
import { PublishedDocuments } from './published/published-documents.js';
import { PublishedController } from './published/published.controller.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [
    CostImportController,
    CollectController,
    ImportEndsConsumer,
    ExportsController,
    ExportRecordsController,
    IntegrityFilesController,
    IntegrityController,
    AllowlistController,
    MixRunsController,
    LiftTestsController,
    ModelingSettingsController,
    ChannelMappingController,
    ExportEndsConsumer,
    DirectoryDownloadController,
    PublishedController,
    DocsController,
  ],
  providers: [
    configProvider(GatewayConfig),
    configProvider(HousekeepingConfig),
    { provide: APP_GUARD, useClass: BearerGuard },
    AccessService,
    GatewayOutbox,
    RateLimiter,
    UploadSlots,
    IdempotencyKeys,
    ImportJobs,
    ImportWaiters,
    CostImportService,
    ExportJobs,
    ExportWaiters,
    EstimateWaiters,
    ExportsService,
    ExportRecords,
    EstimatesService,
    EntityList,
    IntegrityStatusReader,
    Allowlist,
    Submissions,
    MixRuns,
    LiftTests,
    ModelingFiles,
    ModelingSettingsStore,
    ChannelMappingStore,
    CollectedCounts,
    CollectService,
    GatewayHousekeeping,
    { provide: PublishedDocuments, useFactory: () => new PublishedDocuments(openApiDocument, asyncApiDocument) },
  ],
})
export class GatewayModule {}
