import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { metricsRegistry } from './metrics.js';
import { Public } from './public.decorator.js';
import { NoQuery } from './query.js';

@Controller('metrics')
export class MetricsController {
  @Get()
  @Public('Prometheus scrapes it')
  async metrics(@Query() _query: NoQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.type(metricsRegistry.contentType);
    return metricsRegistry.metrics();
  }
}
