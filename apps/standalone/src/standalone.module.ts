import { Module } from '@nestjs/common';
import { GatewayModule } from '#apps/gateway/src/gateway.module.js';
import { ImportWorkerModule } from '#apps/import-worker/src/import-worker.module.js';

/** All services in one process. */
@Module({ imports: [GatewayModule, ImportWorkerModule] })
export class StandaloneModule {}
