import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, problemOf, type ErrorCode } from '#contracts/errors.js';
import { isDependencyAway } from './dependency-away.js';
import { loggerFor } from './logger.js';

const RETRY_AFTER_SECONDS = 5;

/** Every HTTP failure leaves here, in the one shape of RFC 9457. What was not foreseen is a bare 500. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = loggerFor('http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.log);
  }
}

/** Also used for failures before a route is reached. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log = loggerFor('http'),
): void {
  const foreseen = toAppError(error);
  const details = { err: error, request_id: request.id, method: request.method, path: pathOf(request) };
  // A client that hangs up in the middle of its body is no failure of ours, though it looks like a broken connection.
  if (request.raw.destroyed && !request.raw.complete) log.debug(details, 'client hung up');
  else if (foreseen === undefined || foreseen.status >= 500) log.error(details, 'request failed');
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const problem =
    foreseen === undefined ? problemOf('internal') : problemOf(foreseen.code, foreseen.detail, foreseen.extensions);
  void reply
    .code(problem.status)
    .headers(foreseen?.headers ?? {})
    .header('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ ...problem, instance: pathOf(request), request_id: request.id });
}

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isDependencyAway(error)) {
    return new AppError('unavailable', 'A part of the service cannot be reached right now.', {
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    });
  }
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | null)?.statusCode;
  const code = typeof status === 'number' ? FRAMEWORK_STATUSES[status] : undefined;
  return code === undefined
    ? undefined
    : new AppError(code, error instanceof Error && error.message !== '' ? error.message : 'The request was refused.');
}

/** What Nest and Fastify refuse by themselves, before our code sees it. */
const FRAMEWORK_STATUSES: Record<number, ErrorCode> = {
  400: 'invalid_parameter',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'not_found',
  415: 'unsupported_media_type',
};

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url;
}
