import type { OpenAPIV3_1 } from 'openapi-types';
import { HealthController } from '#runtime/health.controller.js';
import { MetricsController } from '#runtime/metrics.controller.js';
import { DirectoryDownloadController } from '#storage/directory-download.controller.js';
import { DocsController } from './docs.controller.js';
import { CONTENT_SECURITY_POLICY, DOCS_FILES } from './docs-page.js';
import { endpoint, type EndpointText } from './endpoint.js';
import { headers, type HeaderName } from './headers.openapi.js';
import { objectOf, schemaRef, type Schema } from './object-schema.js';
import { PublishedController } from './published.controller.js';
import type { HealthReport } from '#runtime/health.registry.js';

const operations = 'Operations';
const published = 'Published interface';

export const OPERATIONS_SCHEMAS: Record<string, Schema> = {
  HealthReport: objectOf<HealthReport>({
    status: { type: 'string', enum: ['ok', 'error'] },
    checks: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['status'],
        properties: { status: { type: 'string', enum: ['up', 'down'] }, reason: { type: 'string' } },
      },
    },
  }),
};

const UP: HealthReport = { status: 'ok', checks: { postgres: { status: 'up' } } };
const DOWN: HealthReport = {
  status: 'error',
  checks: { postgres: { status: 'down', reason: 'no answer within 2000 ms' } },
};

function health(what: string): EndpointText {
  const answer = (description: string, value: HealthReport): OpenAPIV3_1.ResponseObject => ({
    description,
    headers: headers(['Cache-Control']),
    content: {
      'application/json': {
        schema: schemaRef('HealthReport'),
        examples: { [value.status]: { summary: description, value } },
      },
    },
  });
  return {
    tag: operations,
    summary: what,
    responses: { 200: answer('Yes.', UP), 503: answer('No; `reason` says why.', DOWN) },
  };
}

const CONSTANT: readonly HeaderName[] = ['ETag', 'Cache-Control'];

function constant(
  text: Pick<EndpointText, 'summary' | 'description' | 'problems' | 'pathParameters'>,
  content: OpenAPIV3_1.ResponseObject['content'],
  more: readonly HeaderName[] = [],
): EndpointText {
  return {
    tag: published,
    ...text,
    requestHeaders: ['If-None-Match'],
    responses: {
      200: { description: 'It.', headers: headers([...CONSTANT, ...more]), content: content ?? {} },
      304: { description: 'The same as before.', headers: headers([...CONSTANT, ...more]) },
    },
  };
}

const UNCHANGED_HEADERS: readonly HeaderName[] = ['Accept-Ranges', 'Cache-Control', 'ETag'];
const FILE_HEADERS: readonly HeaderName[] = [...UNCHANGED_HEADERS, 'Content-Disposition', 'Content-Length'];
const FILE: NonNullable<OpenAPIV3_1.ResponseObject['content']> = {
  '*/*': { schema: { description: 'The type that the link names.' }, example: 'date,channel,cost\n' },
};

/** The paths that are not about one feature. */
export const OPERATIONS_PATHS = [
  endpoint(DirectoryDownloadController, 'download', {
    tag: 'Files',
    summary: 'Download a file by a signed link',
    description:
      'Links are given out by other answers; the signature is the credential, and no token is needed. With an S3 server its own links take the place of this path, which then is 404.',
    pathParameters: {
      key: {
        description: 'Key of the object; may contain slashes.',
        schema: { type: 'string' },
        example: 'exports/0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11/report.csv',
      },
    },
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    responses: {
      200: { description: 'The whole file.', headers: headers(FILE_HEADERS), content: FILE },
      206: {
        description: 'The range that was asked for.',
        headers: headers([...FILE_HEADERS, 'Content-Range']),
        content: FILE,
      },
      304: { description: 'The same as before.', headers: headers(UNCHANGED_HEADERS) },
    },
    problems: ['not_found', 'expired', 'range_not_satisfiable', 'unavailable'],
    problemTexts: { not_found: { detail: 'There is no such file, or the link is not valid.' } },
    problemHeaders: ['Accept-Ranges'],
  }),
  endpoint(HealthController, 'live', health('Does the process work?')),
  endpoint(HealthController, 'ready', health('Are requests welcome?')),
  endpoint(MetricsController, 'metrics', {
    tag: operations,
    summary: 'Metrics for Prometheus',
    responses: {
      200: {
        description: 'Text exposition format.',
        headers: headers([]),
        content: {
          'text/plain': {
            schema: { type: 'string' },
            example:
              '# HELP tallyport_uploads_in_flight Uploads that are being received\n# TYPE tallyport_uploads_in_flight gauge\ntallyport_uploads_in_flight 0\n',
          },
        },
      },
    },
  }),
  endpoint(
    PublishedController,
    'openApi',
    constant(
      { summary: 'This document (OpenAPI 3.1)' },
      { 'application/json': { schema: { type: 'object', required: ['openapi'] }, example: { openapi: '3.1.0' } } },
    ),
  ),
  endpoint(
    PublishedController,
    'asyncApi',
    constant(
      { summary: 'The topics and their events (AsyncAPI 3)' },
      { 'application/json': { schema: { type: 'object', required: ['asyncapi'] }, example: { asyncapi: '3.0.0' } } },
    ),
  ),
  endpoint(
    DocsController,
    'page',
    constant(
      {
        summary: 'A page to read and try the interface',
        description: `\`Content-Security-Policy: ${CONTENT_SECURITY_POLICY}\``,
      },
      { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>\n' } },
      ['Content-Security-Policy'],
    ),
  ),
  endpoint(
    DocsController,
    'file',
    constant(
      {
        summary: 'A file of that page',
        description: 'Without a name (`/docs/`) it is 308 to the page.',
        problems: ['not_found'],
        pathParameters: {
          key: { description: 'Which one.', schema: { type: 'string', enum: DOCS_FILES }, example: 'start.js' },
        },
      },
      Object.fromEntries(
        ['text/javascript', 'text/css', 'image/png'].map((type) => [type, { schema: { type: 'string' } }]),
      ),
    ),
  ),
];
