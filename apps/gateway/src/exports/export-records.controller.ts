import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExportRecord } from '#contracts/exports.js';
import { CurrentMember, RequiresPermission, RequiresPermissionFor, type Member } from '../access/access.decorators.js';
import type { OwnedObject } from '../access/access.service.js';
import { FILE_PERMISSIONS } from '../access/file-access.js';
import { AssetQuery, ListQuery } from '../lists/list-query.js';
import type { Page } from '../lists/paging.js';
import { EstimatesService } from './estimates.service.js';
import type { Estimate } from './export-jobs.js';
import { ExportRecords } from './export-records.js';

const EXPORT: OwnedObject = { table: 'exports.job', idColumn: 'export_id' };
const POLL_AFTER_SECONDS = '1';

@Controller('api/v1/exports')
export class ExportRecordsController {
  constructor(
    @Inject(ExportRecords) private readonly records: ExportRecords,
    @Inject(EstimatesService) private readonly estimates: EstimatesService,
  ) {}

  @Get()
  @RequiresPermission(...FILE_PERMISSIONS)
  list(@CurrentMember() member: Member, @Query() { limit, cursor }: ListQuery): Promise<Page<ExportRecord>> {
    return this.records.list(member, limit, cursor);
  }

  @Post('estimate')
  @HttpCode(200)
  @RequiresPermission(...FILE_PERMISSIONS)
  estimate(
    @CurrentMember() member: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Estimate | undefined> {
    return this.estimates.estimate(member, request, reply);
  }

  @Get(':id')
  @RequiresPermissionFor(EXPORT, ...FILE_PERMISSIONS)
  async record(
    @CurrentMember() member: Member,
    @Param('id') id: string,
    @Query() _query: AssetQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportRecord> {
    const record = await this.records.find(member, id);
    if (record.finished_at === null) reply.header('Retry-After', POLL_AFTER_SECONDS);
    return record;
  }

  @Get(':id/file')
  @HttpCode(302)
  @RequiresPermissionFor(EXPORT, ...FILE_PERMISSIONS)
  async file(
    @CurrentMember() member: Member,
    @Param('id') id: string,
    @Query() _query: AssetQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<undefined> {
    const location = await this.records.link(member, id);
    reply.headers({ Location: location, 'Cache-Control': 'no-store' });
    return undefined;
  }
}
