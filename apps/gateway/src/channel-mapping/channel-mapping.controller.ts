import { Controller, Get, Inject, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentMember, RequiresPermission, type Member } from '../access/access.decorators.js';
import { GatewayConfig } from '../gateway.config.js';
import { AssetQuery } from '../lists/list-query.js';
import { receiveJson } from '../uploads/json-members.js';
import { ChannelMappingStore, readChannelMapping, type MappedChannel } from './channel-mapping.js';

/** So many bytes hold the longest mapping in any script. */
const MOST_BYTES = 1_048_576;

export interface ChannelMappingBody {
  mapping: MappedChannel[];
}

@Controller('api/v1/channel-mapping')
export class ChannelMappingController {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(ChannelMappingStore) private readonly store: ChannelMappingStore,
  ) {}

  @Get()
  @RequiresPermission('cost:write')
  async mapping(@CurrentMember() { assetId }: Member, @Query() _query: AssetQuery): Promise<ChannelMappingBody> {
    return { mapping: await this.store.find(assetId) };
  }

  @Put()
  @RequiresPermission('cost:write')
  async replace(
    @CurrentMember() { assetId }: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
  ): Promise<ChannelMappingBody> {
    const { SLOW_BODY_MS: slowBodyMs, SPOOL_DIRECTORY: spoolDirectory } = this.config;
    const body = await receiveJson(request.raw, { slowBodyMs, spoolDirectory, maxBytes: MOST_BYTES });
    await this.store.replace(assetId, readChannelMapping(body));
    return { mapping: await this.store.find(assetId) };
  }
}
