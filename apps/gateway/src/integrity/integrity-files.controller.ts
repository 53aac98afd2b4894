import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentMember, type Member } from '../access/access.decorators.js';
import { FileQuery, GivesOut, RangeQuery } from '../exports/exports.dto.js';
import { ExportsService, type ExportAnswer } from '../exports/exports.service.js';
import { BlocklistQuery, GivesOutEntity } from './integrity.dto.js';

/** The paths that give out what integrity found. */
@Controller('api/v1/integrity')
export class IntegrityFilesController {
  constructor(@Inject(ExportsService) private readonly exports: ExportsService) {}

  @Get('entities/:entity_id/export.csv')
  @GivesOutEntity()
  disputeFile(
    @CurrentMember() member: Member,
    @Query() query: FileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('entity_id') entityId: string,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'integrity-entity', entityId, member, query, request, reply });
  }

  @Get('entities/:entity_id')
  @GivesOutEntity()
  entity(
    @CurrentMember() member: Member,
    @Query() query: RangeQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('entity_id') entityId: string,
  ): Promise<ExportAnswer> {
    return this.exports.give({
      file: 'integrity-entity',
      onlyForm: 'json',
      entityId,
      member,
      query,
      request,
      reply,
    });
  }

  @Get('evidence/refund.csv')
  @GivesOut('refund-claim')
  refundClaim(
    @CurrentMember() member: Member,
    @Query() query: FileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'refund-claim', member, query, request, reply });
  }

  @Get('evidence/bundle.json')
  @GivesOut('evidence-bundle')
  evidenceBundle(
    @CurrentMember() member: Member,
    @Query() query: RangeQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'evidence-bundle', onlyForm: 'json', member, query, request, reply });
  }

  @Get('blocklist/google.csv')
  @GivesOut('google-ip-exclusions')
  googleExclusions(
    @CurrentMember() member: Member,
    @Query() query: FileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'google-ip-exclusions', member, query, request, reply });
  }

  @Get('blocklist.csv')
  @GivesOut('blocklist')
  blocklist(
    @CurrentMember() member: Member,
    @Query() query: BlocklistQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'blocklist', member, query, request, reply });
  }

  @Get('blocklist/meta.csv')
  @GivesOut('meta-network-advisory')
  metaAdvisory(
    @CurrentMember() member: Member,
    @Query() query: FileQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportAnswer> {
    return this.exports.give({ file: 'meta-network-advisory', member, query, request, reply });
  }
}
