import type { OpenAPIV3_1 } from 'openapi-types';
import { GatewayConfig } from '../gateway.config.js';
import type { EndpointText } from './endpoint.js';
import { headers, type HeaderName } from './headers.openapi.js';
import { schemaRef } from './object-schema.js';
import { QUEUED_EXPORT } from './exports.schemas.js';

const limits = new GatewayConfig();

const RATE: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const ORDER: readonly HeaderName[] = [
  'X-Service-Export-Id',
  'X-Service-Asset',
  'X-Service-Date-Range',
  'X-Service-Timezone',
  ...RATE,
];
const FILE: readonly HeaderName[] = [
  'ETag',
  'Repr-Digest',
  'Content-Disposition',
  'Cache-Control',
  'X-Service-Export-Rows',
  ...ORDER,
];
const SOMETIMES: readonly HeaderName[] = [
  'X-Service-Export-Limit',
  'X-Service-Export-Truncated',
  'X-Service-Formulas-Escaped',
  'X-Service-Columns-Omitted',
];

type Content = NonNullable<OpenAPIV3_1.ResponseObject['content']>;

/** A CSV file, by a shortened example. */
export function csv(value: string): Content {
  return { 'text/csv': { schema: { type: 'string' }, examples: { file: { summary: 'Shortened', value } } } };
}

/** The same for JSON. */
export function json(schema: string, value: object): Content {
  return { 'application/json': { schema: schemaRef(schema), examples: { file: { summary: 'Shortened', value } } } };
}

/**
 * What all files have in common.
 *
 * @param more headers that this file has sometimes
 */
export function file(
  text: Pick<EndpointText, 'tag' | 'summary' | 'description' | 'problems' | 'problemTexts' | 'pathParameters'>,
  content: Content,
  more: readonly HeaderName[] = [],
): EndpointText {
  const sometimes = [...SOMETIMES, ...more];
  return {
    ...text,
    description: `${text.description ?? ''}\n\nAt most ${limits.RATE_LIMIT_EXPORTS_PER_MINUTE} a minute and token, HEAD and 304 too (a setting). A file that takes longer than ${limits.EXPORT_WAIT_TIMEOUT_MS / 1000} seconds (a setting) goes on: 504 \`export_timeout\` says where it will be. A connection that ends before \`Content-Length\` bytes is a failure, never a shorter file.`,
    requestHeaders: ['If-None-Match', 'Prefer'],
    responses: {
      200: { description: 'The file.', headers: headers([...FILE, 'Content-Length'], sometimes), content },
      202: {
        description: 'With `Prefer: respond-async`: the file is being made.',
        headers: headers([...ORDER, 'Location', 'Preference-Applied']),
        content: {
          'application/json': {
            schema: schemaRef('ExportAccepted'),
            examples: {
              queued: { summary: 'Queued', value: { export_id: QUEUED_EXPORT.export_id, status: 'queued' } },
            },
          },
        },
      },
      304: { description: 'The same content as before.', headers: headers(FILE, sometimes) },
    },
    problems: [...(text.problems ?? []), 'rate_limited', 'export_timeout'],
    problemTexts: {
      rate_limited: {
        detail: `At most ${limits.RATE_LIMIT_EXPORTS_PER_MINUTE} a minute.`,
        headers: ['Retry-After', ...RATE],
      },
      unavailable: {
        detail: 'The object storage cannot be reached right now.',
        headers: ['Retry-After'],
        sometimes: ['Location'],
      },
      ...text.problemTexts,
    },
    problemHeaders: [...RATE, 'X-Service-Export-Id'],
  };
}
