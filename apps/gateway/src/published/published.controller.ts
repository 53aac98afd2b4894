import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '#runtime/public.decorator.js';
import { NoQuery } from '#runtime/query.js';
import { sendConstant } from './constant-answer.js';
import { PublishedDocuments } from './published-documents.js';

/** The machine-readable descriptions of this interface. */
@Controller('api/v1')
export class PublishedController {
  constructor(@Inject(PublishedDocuments) private readonly documents: PublishedDocuments) {}

  @Get('openapi.json')
  @Public('says how to ask, and holds no data')
  openApi(
    @Query() _query: NoQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer | undefined {
    return sendConstant(this.documents.openApi(), request, reply);
  }

  @Get('asyncapi.json')
  @Public('says which events there are, and holds no data')
  asyncApi(
    @Query() _query: NoQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer | undefined {
    return sendConstant(this.documents.asyncApi(), request, reply);
  }
}
