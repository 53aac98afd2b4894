import { Controller, Get, Inject, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ModelingSettings } from '#contracts/modeling/settings.js';
import { CurrentMember, RequiresPermission, type Member } from '../access/access.decorators.js';
import { GatewayConfig } from '../gateway.config.js';
import { AssetQuery } from '../lists/list-query.js';
import { receiveJson } from '../uploads/json-members.js';
import { ModelingSettingsStore, readModelingSettings } from './modeling-settings.js';

@Controller('api/v1/modeling/settings')
export class ModelingSettingsController {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(ModelingSettingsStore) private readonly store: ModelingSettingsStore,
  ) {}

  @Get()
  @RequiresPermission('models:read')
  settings(@CurrentMember() { assetId }: Member, @Query() _query: AssetQuery): Promise<ModelingSettings> {
    return this.store.find(assetId);
  }

  @Put()
  @RequiresPermission('models:write')
  async replace(
    @CurrentMember() { assetId }: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
  ): Promise<ModelingSettings> {
    const { SLOW_BODY_MS: slowBodyMs, SPOOL_DIRECTORY: spoolDirectory } = this.config;
    await this.store.replace(
      assetId,
      readModelingSettings(await receiveJson(request.raw, { slowBodyMs, spoolDirectory })),
    );
    return this.store.find(assetId);
  }
}
