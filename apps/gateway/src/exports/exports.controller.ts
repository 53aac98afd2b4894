import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentMember, type Member } from '../access/access.decorators.js';
import { FileQuery, GivesOut, GivesOutReport, RawEventsQuery, reportNamed, TwoFormatQuery } from './exports.dto.js';
import { ExportsService, type ExportAnswer } from './exports.service.js';

/** The paths that give out files. */
@Controller('api/v1')
export class ExportsController {
  constructor(@Inject(ExportsService) private readonly exports: ExportsService) {}

  @Get('export/:report.csv')
  @GivesOutReport()
  report(
    @CurrentMember() member: Member,
    @Query() query: FileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('report') report: string,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: reportNamed(report), member, query, request, reply });
  }

  @Get('export/channels')
  @GivesOut('channels-advanced')
  channelsAdvanced(
    @CurrentMember() member: Member,
    @Query() query: TwoFormatQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'channels-advanced', member, query, request, reply });
  }

  @Get('events/raw')
  @GivesOut('raw-events')
  rawEvents(
    @CurrentMember() member: Member,
    @Query() query: RawEventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'raw-events', member, query, request, reply });
  }

  @Get('consent/export')
  @GivesOut('consent-records')
  consentRecords(
    @CurrentMember() member: Member,
    @Query() query: TwoFormatQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'consent-records', member, query, request, reply });
  }
}
