import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HealthRegistry, type HealthReport } from './health.registry.js';
import { NoQuery } from './query.js';
import { Public } from './public.decorator.js';

@Controller('health')
export class HealthController {
  constructor(@Inject(HealthRegistry) private readonly health: HealthRegistry) {}

  @Get('live')
  @Public('an orchestrator asks')
  async live(@Query() _query: NoQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    return answer(await this.health.live(), reply);
  }

  @Get('ready')
  @Public('a load balancer asks')
  async ready(@Query() _query: NoQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    return answer(await this.health.ready(), reply);
  }
}

function answer(report: HealthReport, reply: FastifyReply): HealthReport {
  reply.code(report.status === 'ok' ? 200 : 503).header('Cache-Control', 'no-store');
  return report;
}
