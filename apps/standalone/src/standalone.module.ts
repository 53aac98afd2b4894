import { Module } from '@nestjs/common';
import { GatewayModule } from '#apps/gateway/src/gateway.module.js';
import { ImportWorkerModule } from '#apps/import-worker/src/import-worker.module.js';
import { IntegrityModule } from '#apps/integrity/src/integrity.module.js';
import { MmmLiftModule } from '#apps/mmm-lift/src/mmm-lift.module.js';
import { ReportingModule } from '#apps/reporting/src/reporting.module.js';

/** All services in one process. */
@Module({ imports: [GatewayModule, ImportWorkerModule, ReportingModule, IntegrityModule, MmmLiftModule] })
export class StandaloneModule {}
