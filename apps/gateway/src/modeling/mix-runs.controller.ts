import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MixRunItem } from '#contracts/modeling/mix-run.js';
import {
  CurrentMember,
  RequiresFileOf,
  RequiresPermission,
  RequiresPermissionFor,
  type Member,
} from '../access/access.decorators.js';
import type { OwnedObject } from '../access/access.service.js';
import { ExportsService, type ExportAnswer } from '../exports/exports.service.js';
import { AssetQuery, ListQuery } from '../lists/list-query.js';
import type { Page } from '../lists/paging.js';
import { MixRuns, type MixRunAnswer } from './mix-runs.js';
import { detailsOf, ModelingFileQuery, RunQuery } from './modeling.dto.js';
import { ModelingFiles } from './modeling-files.js';

const MIX_RUN: OwnedObject = { table: 'modeling.run', idColumn: 'run_id' };
const RUNS_PATH = '/api/v1/mmm/runs';
const POLL_AFTER_SECONDS = '1';

@Controller('api/v1/mmm/runs')
export class MixRunsController {
  constructor(
    @Inject(MixRuns) private readonly runs: MixRuns,
    @Inject(ModelingFiles) private readonly files: ModelingFiles,
    @Inject(ExportsService) private readonly exports: ExportsService,
  ) {}

  @Post()
  @HttpCode(202)
  @RequiresPermission('models:write')
  async request(
    @CurrentMember() member: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ run_id: string; status: 'queued' }> {
    const runId = await this.runs.request(member, request);
    reply.header('Location', `${RUNS_PATH}/${runId}`);
    return { run_id: runId, status: 'queued' };
  }

  @Get()
  @RequiresPermission('models:read')
  list(@CurrentMember() member: Member, @Query() { limit, cursor }: ListQuery): Promise<Page<MixRunItem>> {
    return this.runs.list(member, limit, cursor);
  }

  @Get(':id')
  @RequiresPermissionFor(MIX_RUN, 'models:read')
  async run(
    @CurrentMember() member: Member,
    @Param('id') id: string,
    @Query() { include }: RunQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MixRunAnswer> {
    const run = await this.runs.find(member, id, detailsOf(include));
    if (run.status === 'queued' || run.status === 'running') reply.header('Retry-After', POLL_AFTER_SECONDS);
    return run;
  }

  @Get(':id/export.csv')
  @RequiresFileOf(MIX_RUN, 'mmm-run')
  async file(
    @CurrentMember() member: Member,
    @Query() { bom, formulas }: ModelingFileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<ExportAnswer> {
    const range = await this.files.windowOfRun(member.assetId, id);
    return this.exports.give({
      file: 'mmm-run',
      runId: id.toLowerCase(),
      range,
      member,
      query: { bom, formulas },
      request,
      reply,
    });
  }
}
