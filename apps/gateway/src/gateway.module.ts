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
import { CostImportController } from './cost-import/cost-import.controller.js';
import { CostImportService } from './cost-import/cost-import.service.js';
import { IdempotencyKeys } from './cost-import/idempotency.js';
import { ImportEndsConsumer } from './cost-import/import-ends.consumer.js';
import { ImportJobs } from './cost-import/import-jobs.js';
import { ImportWaiters } from './cost-import/import-waiters.js';
import { GatewayConfig } from './gateway.config.js';
import { GatewayHousekeeping } from './gateway-housekeeping.js';
import { GatewayOutbox } from './gateway-outbox.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { UploadSlots } from './limits/upload-slots.js';
import { asyncApiDocument } from './published/asyncapi.js';
import { DocsController } from './published/docs.controller.js';
import { openApiDocument } from './published/openapi.js';
import { PublishedDocuments } from './published/published-documents.js';
import { PublishedController } from './published/published.controller.js';

@Module({
  imports: [RuntimeModule, DatabaseModule, MessagingModule, StorageModule],
  controllers: [
    CostImportController,
    ImportEndsConsumer,
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
    GatewayHousekeeping,
    { provide: PublishedDocuments, useFactory: () => new PublishedDocuments(openApiDocument, asyncApiDocument) },
  ],
})
export class GatewayModule {}
