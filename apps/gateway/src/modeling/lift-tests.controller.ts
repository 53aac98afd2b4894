import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LiftTestItem } from '#contracts/modeling/lift-test.js';
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
import { LiftTests, type LiftTestAnswer, type SubmittedTest } from './lift-tests.js';
import { detailsOf, ModelingFileQuery, TestQuery } from './modeling.dto.js';
import { ModelingFiles } from './modeling-files.js';

const LIFT_TEST: OwnedObject = { table: 'modeling.lift_test', idColumn: 'test_id' };
const TESTS_PATH = '/api/v1/lift/tests';
const POLL_AFTER_SECONDS = '1';

@Controller('api/v1/lift/tests')
export class LiftTestsController {
  constructor(
    @Inject(LiftTests) private readonly tests: LiftTests,
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
  ): Promise<SubmittedTest> {
    const submitted = await this.tests.request(member, request);
    reply.header('Location', `${TESTS_PATH}/${submitted.test_id}`);
    return submitted;
  }

  @Get()
  @RequiresPermission('models:read')
  list(@CurrentMember() member: Member, @Query() { limit, cursor }: ListQuery): Promise<Page<Partial<LiftTestItem>>> {
    return this.tests.list(member, limit, cursor);
  }

  @Get(':id')
  @RequiresPermissionFor(LIFT_TEST, 'models:read')
  async test(
    @CurrentMember() member: Member,
    @Param('id') id: string,
    @Query() { include }: TestQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LiftTestAnswer> {
    const test = await this.tests.find(member, id, detailsOf(include));
    if (test.status === 'queued' || test.status === 'running') reply.header('Retry-After', POLL_AFTER_SECONDS);
    return test;
  }

  @Get(':id/export.csv')
  @RequiresFileOf(LIFT_TEST, 'lift-test')
  async file(
    @CurrentMember() member: Member,
    @Query() { bom, formulas }: ModelingFileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<ExportAnswer> {
    const range = await this.files.windowOfTest(member.assetId, id);
    return this.exports.give({
      file: 'lift-test',
      testId: id.toLowerCase(),
      range,
      member,
      query: { bom, formulas },
      request,
      reply,
    });
  }
}
