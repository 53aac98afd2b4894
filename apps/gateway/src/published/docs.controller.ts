import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.js';
import { Public } from '#runtime/public.decorator.js';
import { NoQuery } from '#runtime/query.js';
import { sendConstant } from './constant-answer.js';
import { CONTENT_SECURITY_POLICY, docsFile, docsPage } from './docs-page.js';

/** A page to read and try the interface; it loads nothing from elsewhere. */
@Controller('docs')
export class DocsController {
  @Get()
  @Public('says how to ask, and holds no data')
  page(
    @Query() _query: NoQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer | undefined {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    return sendConstant(docsPage(), request, reply);
  }

  @Get('*')
  @Public('script and style of the page')
  file(
    @Param('*') file: string,
    @Query() _query: NoQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer | undefined {
    if (file === '') {
      reply.code(308).header('Location', '../docs');
      return undefined;
    }
    const answer = docsFile(file);
    if (answer === undefined) throw new AppError('not_found', 'The page has no such file.');
    return sendConstant(answer, request, reply);
  }
}
