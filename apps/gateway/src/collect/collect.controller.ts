import { Controller, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CollectReport, CollectStatus } from '#contracts/collect/collect-report.js';
import { CurrentMember, RequiresPermission, type Member } from '../access/access.decorators.js';
import { AssetQuery } from '../lists/list-query.js';
import { CollectService } from './collect.service.js';

@Controller('api/v1/collect')
export class CollectController {
  constructor(@Inject(CollectService) private readonly collected: CollectService) {}

  @Post('events')
  @HttpCode(202)
  @RequiresPermission('events:write')
  events(
    @CurrentMember() { assetId }: Member,
    @Query() _query: AssetQuery,
    @Req() { raw }: FastifyRequest,
  ): Promise<CollectReport> {
    return this.collected.take('events', assetId, raw);
  }

  @Post('consent')
  @HttpCode(202)
  @RequiresPermission('events:write')
  consent(
    @CurrentMember() { assetId }: Member,
    @Query() _query: AssetQuery,
    @Req() { raw }: FastifyRequest,
  ): Promise<CollectReport> {
    return this.collected.take('consent', assetId, raw);
  }

  @Post('identities')
  @HttpCode(202)
  @RequiresPermission('events:write')
  identities(
    @CurrentMember() { assetId }: Member,
    @Query() _query: AssetQuery,
    @Req() { raw }: FastifyRequest,
  ): Promise<CollectReport> {
    return this.collected.take('identities', assetId, raw);
  }

  /** Counts alone: whoever may send events or read them may look. */
  @Get('status')
  @RequiresPermission('events:write', 'events:read')
  status(@CurrentMember() { assetId }: Member, @Query() _query: AssetQuery): Promise<CollectStatus> {
    return this.collected.status(assetId);
  }
}
