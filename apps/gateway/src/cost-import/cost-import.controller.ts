import type { Readable } from 'node:stream';
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { localDay } from '#contracts/local-day.js';
import type { CostImportJob, CostImportReport } from '#contracts/cost-import.js';
import { CurrentMember, RequiresPermission, RequiresPermissionFor, type Member } from '../access/access.decorators.js';
import type { OwnedObject } from '../access/access.service.js';
import { sendCsv } from '../files/send-csv.js';
import { GatewayConfig } from '../gateway.config.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { AssetQuery, ListQuery } from '../lists/list-query.js';
import type { Page } from '../lists/paging.js';
import { TemplateQuery } from './cost-import.dto.js';
import { CostImportService, JOBS_PATH } from './cost-import.service.js';
import { ImportJobs, type JobSummary } from './import-jobs.js';
import { costExample, costTemplate } from './template.js';
import { uploadOf } from './upload-request.js';
import { uploadFormat } from './upload.js';

const IMPORT_JOB: OwnedObject = { table: 'imports.job', idColumn: 'import_id' };
const POLL_AFTER_SECONDS = '1';

@Controller('api/v1/cost-import')
export class CostImportController {
  constructor(
    @Inject(CostImportService) private readonly imports: CostImportService,
    @Inject(ImportJobs) private readonly jobs: ImportJobs,
    @Inject(RateLimiter) private readonly rates: RateLimiter,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('cost:write')
  async importNow(
    @CurrentMember() member: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CostImportReport> {
    const upload = uploadOf(request, reply, member);
    uploadFormat(request.raw);
    await this.rates.take('imports', member.assetId, this.config.RATE_LIMIT_IMPORTS_PER_MINUTE, reply);
    const { importId, report } = await this.imports.importNow(upload);
    reply.header('X-Service-Import-Id', importId);
    return report;
  }

  @Post('async')
  @HttpCode(202)
  @RequiresPermission('cost:write')
  async importLater(
    @CurrentMember() member: Member,
    @Query() _query: AssetQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ import_id: string; status: 'queued' }> {
    const importId = await this.imports.importLater(uploadOf(request, reply, member));
    reply.headers({ Location: `${JOBS_PATH}/${importId}`, 'X-Service-Import-Id': importId });
    return { import_id: importId, status: 'queued' };
  }

  @Get('jobs')
  @RequiresPermission('cost:read', 'cost:write')
  list(@CurrentMember() { assetId }: Member, @Query() { limit, cursor }: ListQuery): Promise<Page<JobSummary>> {
    return this.jobs.list(assetId, limit, cursor);
  }

  @Get('jobs/:id')
  @RequiresPermissionFor(IMPORT_JOB, 'cost:read', 'cost:write')
  async job(
    @CurrentMember() { assetId }: Member,
    @Param('id') id: string,
    @Query() _query: AssetQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CostImportJob> {
    const job = await this.imports.job(assetId, id);
    if (job.finished_at === null) reply.header('Retry-After', POLL_AFTER_SECONDS);
    return job;
  }

  @Post('jobs/:id/cancel')
  @HttpCode(200)
  @RequiresPermissionFor(IMPORT_JOB, 'cost:write')
  cancel(
    @CurrentMember() member: Member,
    @Param('id') id: string,
    @Query() _query: AssetQuery,
  ): Promise<CostImportJob> {
    return this.imports.cancel(member, id);
  }

  @Get('template')
  @RequiresPermission('cost:write', 'cost:read')
  async template(
    @CurrentMember() member: Member,
    @Query() query: TemplateQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | Readable> {
    await this.rates.take('exports', member.caller.tokenId, this.config.RATE_LIMIT_EXPORTS_PER_MINUTE, reply);
    const today = localDay(member.timezone, new Date());
    const options = { today, bom: query.bom === '1', escapeFormulas: query.formulas !== 'raw' };
    const example = query.example === '1';
    const name = `${this.config.SERVICE_NAME}_cost_${example ? 'example' : 'template'}.csv`;
    return sendCsv(name, example ? costExample(options) : costTemplate(options), request, reply);
  }
}
