import type { OpenAPIV3_1 } from 'openapi-types';
import { GatewayConfig } from '../gateway.config.js';
import type { Schema } from './object-schema.js';

type Header = OpenAPIV3_1.HeaderObject;
export type Headers = Record<string, Header>;

interface HeaderText {
  description: string;
  example: string | number;
  schema?: Schema;
}

const limits = new GatewayConfig();
const JOB = '/api/v1/cost-import/jobs/019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';

/** Every response header of the interface. */
const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Id of this request in the logs.', example: '019aa1c2-8b10-7c55-9a3e-2f6d1b7c4e90' },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess another type.',
    example: 'nosniff',
    schema: { type: 'string', enum: ['nosniff'] },
  },
  'X-Service-Import-Id': {
    description: 'The job record of this import; a sync import keeps one too.',
    example: '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10',
    schema: { type: 'string', format: 'uuid' },
  },
  Location: {
    description: 'Where to look next: the job, the export or the file.',
    example: JOB,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'RateLimit-Policy': {
    description: 'The limit `q` in a window of `w` seconds.',
    example: `"imports";q=${limits.RATE_LIMIT_IMPORTS_PER_MINUTE};w=60`,
  },
  RateLimit: {
    description: 'What remains (`r`) for `t` seconds.',
    example: `"imports";r=${limits.RATE_LIMIT_IMPORTS_PER_MINUTE - 1};t=42`,
  },
  'Retry-After': {
    description: 'Seconds until it makes sense to ask again.',
    example: 5,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate; names `invalid_token` when a token was sent.',
    example: 'Bearer error="invalid_token"',
  },
  Allow: { description: 'The methods of this path.', example: 'GET, HEAD' },
  'Cache-Control': { description: 'Whether and how the answer may be kept.', example: 'private, no-store' },
  ETag: {
    description:
      'Of these bytes; send it as `If-None-Match`. Weak (`W/`) for a file that holds its time of making: it is of the rest.',
    example: '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  },
  'Repr-Digest': {
    description: 'SHA-256 of the file (RFC 9530).',
    example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:',
  },
  'Content-Disposition': {
    description: 'Name of the file (RFC 6266).',
    example: `attachment; filename="${limits.SERVICE_NAME}_cost_template.csv"`,
  },
  'Content-Length': { description: 'Bytes of the body.', example: 812, schema: { type: 'integer', minimum: 0 } },
  'Content-Range': { description: 'Which bytes of how many.', example: 'bytes 0-1023/4096' },
  'Accept-Ranges': { description: 'Parts of the file can be asked for.', example: 'bytes' },
  'X-Service-Export-Rows': {
    description: 'Data rows in the file.',
    example: 1,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Service-Export-Id': {
    description: 'The record of this export, at `/api/v1/exports/{id}`.',
    example: '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Service-Export-Limit': {
    description: 'Data rows that this file can have; absent when it has no cap.',
    example: 5000,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Service-Export-Truncated': {
    description: 'Rows that were left out because of the cap; absent when none was.',
    example: 120,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Service-Blocklist-Truncated': {
    description: 'Networks of the exclusion list that were left out because of its cap; absent when none was.',
    example: 37,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Service-Columns-Omitted': {
    description: 'Columns that the cost data restriction of the membership leaves out; absent when none.',
    example: 'spend,currency,reported_revenue,reported_roas',
  },
  'X-Service-Asset': {
    description: 'The asset that the file is of.',
    example: '0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Service-Date-Range': {
    description: 'First and last day, both inclusive.',
    example: '2026-01-01..2026-01-31',
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}[.]{2}\\d{4}-\\d{2}-\\d{2}$' },
  },
  'X-Service-Timezone': { description: 'Time zone of the asset, whose days count.', example: 'Europe/Berlin' },
  'Preference-Applied': {
    description: 'What of `Prefer` was followed (RFC 7240).',
    example: 'respond-async',
    schema: { type: 'string', enum: ['respond-async'] },
  },
  'X-Service-Formulas-Escaped': {
    description: 'Cells that got a leading apostrophe; absent when none did.',
    example: 2,
    schema: { type: 'integer', minimum: 1 },
  },
  'Content-Security-Policy': {
    description: 'What the page may load: nothing from elsewhere.',
    example: "default-src 'none'; script-src 'self'",
  },
  Connection: { description: '`close` when the rest of the body was not read.', example: 'close' },
} as const satisfies Record<string, HeaderText>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;

/** Header objects of a response; those of `sometimes` are not in every such answer. */
export function headers(always: readonly HeaderName[], sometimes: readonly HeaderName[] = []): Headers {
  return {
    ...Object.fromEntries([...COMMON, ...always].map((name) => [name, { ...header(name), required: true }])),
    ...Object.fromEntries(sometimes.filter((name) => !always.includes(name)).map((name) => [name, header(name)])),
  };
}

/** Set before anything else happens to a request. */
const COMMON = ['X-Request-Id', 'X-Content-Type-Options'] as const satisfies HeaderName[];

function header(name: HeaderName): Header {
  const { description, example, schema = { type: 'string' } }: HeaderText = RESPONSE_HEADERS[name];
  return { description, schema: schema as object, example };
}

/** The example stays in the schema: at the parameter itself, the page would fill it in and send it. */
function requestHeader(
  name: string,
  description: string,
  example: string,
  schema: Schema = { type: 'string' },
): OpenAPIV3_1.ParameterObject {
  return { name, in: 'header', required: false, description, schema: { ...schema, examples: [example] } as object };
}

/** Request headers as components, each by the name it is referred to. */
export const REQUEST_HEADERS = {
  traceparent: requestHeader(
    'traceparent',
    'W3C trace context; the work that follows belongs to this trace, also behind the topics.',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ),
  'Idempotency-Key': requestHeader(
    'Idempotency-Key',
    `Makes a repetition safe, per asset and path, for ${limits.IDEMPOTENCY_DAYS} days: the same key with the same body answers with the first result (2xx or 4xx), with another body 422. A 5xx frees the key.`,
    'costs-2026-W01',
    { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  ),
  'Content-Encoding': requestHeader(
    'Content-Encoding',
    'The body may be compressed; the cap is on the inflated bytes.',
    'gzip',
    { type: 'string', enum: ['gzip', 'identity'] },
  ),
  'If-None-Match': requestHeader(
    'If-None-Match',
    'An `ETag` of before: 304 when nothing changed.',
    '"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"',
  ),
  Prefer: requestHeader(
    'Prefer',
    '`respond-async` (RFC 7240): answer 202 at once, with the place where the file will be. Other preferences are ignored.',
    'respond-async',
  ),
  Range: requestHeader('Range', 'One range of bytes; several, or other units, give the whole file.', 'bytes=0-1023'),
  'If-Range': requestHeader(
    'If-Range',
    'An `ETag` of before: the range of that file only, else the whole file.',
    '"abc"',
  ),
} as const;

export type RequestHeaderName = keyof typeof REQUEST_HEADERS;

export function requestHeaderRef(name: RequestHeaderName): OpenAPIV3_1.ReferenceObject {
  return { $ref: `#/components/parameters/${name}` };
}
