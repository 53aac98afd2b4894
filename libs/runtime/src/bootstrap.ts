import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { v7 as uuidv7 } from 'uuid';
import { ConfigError } from './config.js';
import { loggerFor, NestLogger } from './logger.js';
import { answerBrokenHttp } from './broken-http.js';
import { answerUnknownRoutes } from './unknown-routes.js';
import { ProblemFilter, sendProblem } from './problem.filter.js';
import { QueryPipe } from './query.js';
import { nextTraceparent, withContext } from './work-context.js';

const HEADERS_TIMEOUT_MS = 60_000;
/** A 64 MB body at the slowest accepted rate of 1 KB/s takes long; the body reader watches the rate itself. */
const REQUEST_TIMEOUT_MS = 0;
/** Socket inactivity; it must exceed the longest wait for a sync import. */
const CONNECTION_TIMEOUT_MS = 360_000;
/** After the start of a shutdown; the grace of running jobs is shorter. */
const CLOSE_CONNECTIONS_MS = 12_000;

/** A Nest application on Fastify with what every process of ours needs: problem bodies, strict queries, clean shutdown. */
export async function createApp(module: Type<unknown>): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    genReqId: () => uuidv7(),
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    return503OnClosing: false,
    frameworkErrors: sendProblem,
    clientErrorHandler: answerBrokenHttp,
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new QueryPipe());
  app.enableShutdownHooks();
  const fastify = adapter.getInstance();
  fastify.server.headersTimeout = HEADERS_TIMEOUT_MS;
  // Closing waits for requests that are under way; one whose client has stalled would hold it up for good.
  fastify.addHook('preClose', (done) => {
    setTimeout(() => {
      fastify.server.closeAllConnections();
    }, CLOSE_CONNECTIONS_MS).unref();
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    hideMalformedContentType(request.raw);
    const given = request.headers['traceparent'];
    const traceparent = typeof given === 'string' ? given : undefined;
    withContext({ request_id: request.id, traceparent }, () => {
      withContext({ traceparent: nextTraceparent() }, done);
    });
  });
  // Nothing is parsed by the framework: whoever takes a body reads it as a stream, with its own limits.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
  answerUnknownRoutes(app);
  return app;
}

/** Fastify would answer 415 before the token is looked at; who takes bodies says itself which types it accepts. */
function hideMalformedContentType({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type === undefined) return;
  try {
    new MIMEType(type);
  } catch {
    headers['content-type'] = 'application/octet-stream';
  }
}

/** Runs a process: a configuration error is one sentence and exit code 1, anything else a log line and exit code 1. */
export async function runProcess(name: string, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else loggerFor(name).fatal({ err: error }, 'could not start');
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 1_000).unref();
  }
}
