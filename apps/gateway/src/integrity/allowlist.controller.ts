import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.js';
import type { AllowlistRule } from '#contracts/integrity/allowlist.js';
import { CurrentMember, RequiresPermission, type Member } from '../access/access.decorators.js';
import { GatewayConfig } from '../gateway.config.js';
import { AssetQuery, ListQuery } from '../lists/list-query.js';
import type { Page } from '../lists/paging.js';
import { receiveJson } from '../uploads/json-members.js';
import { Allowlist } from './allowlist.js';
import { readAllowlistRule } from './allowlist-rule.js';

@Controller('api/v1/integrity/allowlist')
export class AllowlistController {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(Allowlist) private readonly allowlist: Allowlist,
  ) {}

  @Get()
  @RequiresPermission('integrity:read')
  list(@CurrentMember() member: Member, @Query() { limit, cursor }: ListQuery): Promise<Page<AllowlistRule>> {
    return this.allowlist.list(member.assetId, limit, cursor);
  }

  @Post()
  @HttpCode(201)
  @RequiresPermission('integrity:write')
  async add(
    @CurrentMember() { assetId, caller }: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AllowlistRule> {
    const { SLOW_BODY_MS: slowBodyMs, SPOOL_DIRECTORY: spoolDirectory } = this.config;
    const wanted = readAllowlistRule(await receiveJson(request.raw, { slowBodyMs, spoolDirectory }));
    const rule = await this.allowlist.add(assetId, wanted, caller.principalName);
    reply.header('Location', `/api/v1/integrity/allowlist/${rule.rule_id}`);
    return rule;
  }

  @Delete(':rule_id')
  @HttpCode(204)
  @RequiresPermission('integrity:write')
  async remove(
    @CurrentMember() { assetId, caller }: Member,
    @Query() _query: AssetQuery,
    @Param('rule_id') ruleId: string,
  ): Promise<void> {
    if (!isUUID(ruleId) || !(await this.allowlist.remove(assetId, ruleId, caller.principalName)))
      throw new AppError('not_found', 'There is no such rule.');
  }
}
