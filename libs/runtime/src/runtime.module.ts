import { Global, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { HealthRegistry } from './health.registry.js';
import { MetricsController } from './metrics.controller.js';

/** What every process has: health and metrics. */
@Global()
@Module({ controllers: [HealthController, MetricsController], providers: [HealthRegistry], exports: [HealthRegistry] })
export class RuntimeModule {}
