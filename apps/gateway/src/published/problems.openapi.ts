import type { OpenAPIV3_1 } from 'openapi-types';
import { ASYNC_IMPORT_MAX_BYTES, SYNC_IMPORT_MAX_BYTES } from '#contracts/cost-import.js';
import { ERRORS, problemOf, type ErrorCode } from '#contracts/errors.js';
import { REPORTS } from '#contracts/exports.js';
import { headers, type HeaderName } from './headers.openapi.js';
import { COUNT, schemaRef, UUID, type Schema } from './object-schema.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const IMPORT_ID = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';
const TEST_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** Members that only some codes have. */
const EXTENSIONS: Record<string, Schema> = {
  errors: {
    type: 'array',
    description: 'Each wrong parameter or header, and why.',
    items: {
      type: 'object',
      required: ['name', 'reason'],
      properties: { name: { type: 'string' }, reason: { type: 'string' } },
    },
  },
  line: { ...COUNT, description: 'Record number; comments and empty lines do not count.' },
  file_line: { ...COUNT, description: 'Physical line of the file, from 1; absent for JSON.' },
  max_bytes: { ...COUNT, description: 'Largest body, inflated.' },
  async_url: { type: 'string', format: 'uri-reference', description: 'Takes larger files.' },
  accepted: {
    type: 'array',
    items: { type: 'string' },
    description: 'The media types, or encodings, that are accepted.',
  },
  nothing_written: { type: 'boolean', description: 'The import left no trace in the data.' },
  allowed: { type: 'array', items: { type: 'string' }, description: 'The names that there are.' },
  blocked_by: { ...UUID, description: 'Another import of the asset that was in the way.' },
  test_id: { ...UUID, description: 'The lift test that overlaps.' },
};

const PROBLEM: Record<string, Schema> = {
  type: { type: 'string', format: 'uri', description: 'The code as a URN.' },
  title: { type: 'string', description: 'The code in words.' },
  status: { type: 'integer', minimum: 400, maximum: 599 },
  detail: { type: 'string', description: 'What went wrong here, in a sentence. Absent for `internal`.' },
  code: { type: 'string', enum: CODES, description: 'Stable for ever; new ones may appear.' },
};

/** RFC 9457: as kept in a job record, and as answered. */
export const PROBLEM_SCHEMAS: Record<string, Schema> = {
  JobProblem: {
    type: 'object',
    description: 'Why a job failed (RFC 9457).',
    required: ['type', 'title', 'status', 'code'],
    properties: { ...PROBLEM, ...EXTENSIONS },
  },
  Problem: {
    type: 'object',
    description: 'Every error answer (RFC 9457).',
    required: ['type', 'title', 'status', 'code', 'instance', 'request_id'],
    properties: {
      ...PROBLEM,
      instance: { type: 'string', format: 'uri-reference', description: 'The path of the request.' },
      request_id: { ...UUID, description: 'Id of the request in the logs.' },
      ...EXTENSIONS,
    },
  },
};

interface ProblemText {
  detail?: string;
  extensions?: Record<string, unknown>;
  /** Headers that every answer with this code has. */
  headers?: readonly HeaderName[];
  /** Headers that it may have. */
  sometimes?: readonly HeaderName[];
}

const IMPORT_HEADERS = ['X-Service-Import-Id'] as const satisfies HeaderName[];

/** One example of each code that occurs in this version. */
const PROBLEMS = {
  empty_file: { detail: 'The file has no row to import.', sometimes: IMPORT_HEADERS },
  malformed_csv: {
    detail: 'A quoted field is never closed.',
    extensions: { line: 3, file_line: 5 },
    sometimes: IMPORT_HEADERS,
  },
  invalid_encoding: {
    detail: 'The file holds bytes that are not UTF-8.',
    extensions: { line: 2, file_line: 2 },
    sometimes: IMPORT_HEADERS,
  },
  invalid_json: { detail: 'The body has no array `rows`.', sometimes: IMPORT_HEADERS },
  invalid_parameter: {
    detail: '`asset_id` must be a UUID.',
    extensions: { errors: [{ name: 'asset_id', reason: 'must be a UUID' }] },
  },
  range_too_large: { detail: 'The range 2024-01-01..2026-01-31 has more than 366 days.' },
  asset_required: { detail: 'The token sees 2 assets: say which by `asset_id`.' },
  unauthenticated: { detail: 'The token is unknown, expired or revoked.', headers: ['WWW-Authenticate'] },
  forbidden: { detail: 'This needs the permission cost:write for the asset.' },
  raw_data_restricted: { detail: 'The membership carries the raw data restriction.' },
  unknown_report: { detail: 'There is no report of this name.', extensions: { allowed: REPORTS } },
  not_found: { detail: 'There is no such asset.' },
  method_not_allowed: { detail: 'PUT is not possible here.', headers: ['Allow'] },
  request_timeout: { detail: 'The body came at under 1 KB/s.', headers: ['Connection'] },
  invalid_state: { detail: 'The import has ended already: succeeded.', sometimes: ['Location', ...IMPORT_HEADERS] },
  test_overlap: {
    detail: `The test ${TEST_ID} has a channel, a place and days in common with this.`,
    extensions: { test_id: TEST_ID },
  },
  idempotency_in_progress: {
    detail: 'The first request with this Idempotency-Key has not ended.',
    sometimes: ['Location', ...IMPORT_HEADERS],
  },
  expired: { detail: 'The download link has expired; ask for a new one.' },
  body_too_large: {
    detail: `The body may have at most ${SYNC_IMPORT_MAX_BYTES} bytes after inflation.`,
    extensions: { max_bytes: SYNC_IMPORT_MAX_BYTES, async_url: '/api/v1/cost-import/async' },
    headers: ['Connection'],
  },
  unsupported_media_type: {
    detail: 'The Content-Type must be text/csv or application/json, in UTF-8.',
    extensions: { accepted: ['text/csv', 'application/json'] },
    headers: ['Connection'],
  },
  range_not_satisfiable: { detail: 'The file has 4096 bytes.', headers: ['Content-Range'] },
  idempotency_key_reused: { detail: 'This Idempotency-Key came before with another body or type.' },
  rate_limited: { detail: 'At most 60 a minute.', headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'] },
  queue_full: {
    detail: '10 imports of the asset are waiting; at most 10 may.',
    headers: ['Retry-After', 'Connection'],
  },
  internal: {},
  import_failed: {
    detail: 'Something failed that was not foreseen.',
    extensions: { nothing_written: true },
    sometimes: IMPORT_HEADERS,
  },
  unavailable: {
    detail: 'A part of the service cannot be reached right now.',
    headers: ['Retry-After'],
    sometimes: ['Location', ...IMPORT_HEADERS, 'Connection'],
  },
  import_timeout: {
    detail: 'Another import of the asset was in the way until the time limit.',
    extensions: { nothing_written: true, blocked_by: IMPORT_ID },
    sometimes: IMPORT_HEADERS,
  },
  export_timeout: { detail: `The export ${IMPORT_ID} goes on.`, headers: ['Location'] },
} as const satisfies Partial<Record<ErrorCode, ProblemText>>;

/** A code that some path of this version can answer with. */
export type DocumentedCode = keyof typeof PROBLEMS;

export interface ProblemContext {
  instance: string;
  /** Other texts for this path. */
  texts?: Partial<Record<DocumentedCode, ProblemText>>;
  /** Headers that any of the errors may have. */
  sometimes?: readonly HeaderName[];
}

/** One response per status, with each of its codes as a named example. */
export function problemResponses(
  codes: readonly DocumentedCode[],
  context: ProblemContext,
): Record<string, OpenAPIV3_1.ResponseObject> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      problemResponse(
        codes.filter((code) => ERRORS[code].status === status),
        context,
      ),
    ]),
  );
}

/** The response of codes that share a status. */
export function problemResponse(
  codes: readonly DocumentedCode[],
  { instance, texts = {}, sometimes = [] }: ProblemContext,
): OpenAPIV3_1.ResponseObject {
  const said = codes.map((code) => ({ code, text: { ...(PROBLEMS[code] as ProblemText), ...texts[code] } }));
  const always = (said[0]?.text.headers ?? []).filter((name) => said.every(({ text }) => text.headers?.includes(name)));
  const some = said.flatMap(({ text }) => [...(text.headers ?? []), ...(text.sometimes ?? [])]);
  const examples = said.map(({ code, text: { detail, extensions } }) => [
    code,
    {
      summary: ERRORS[code].title,
      value: { ...problemOf(code, detail, extensions), instance, request_id: '019aa1c2-8b10-7c55-9a3e-2f6d1b7c4e90' },
    },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    headers: headers(['Cache-Control', ...always], [...some, ...sometimes]),
    content: {
      'application/problem+json': {
        schema: { ...schemaRef('Problem'), properties: { code: { enum: [...codes] } } },
        examples: Object.fromEntries(examples) as Record<string, OpenAPIV3_1.ExampleObject>,
      },
    },
  };
}

/** A body over the cap of async imports has nowhere else to go. */
export const ASYNC_BODY_TOO_LARGE: ProblemText = {
  detail: `The body may have at most ${ASYNC_IMPORT_MAX_BYTES} bytes after inflation.`,
  extensions: { max_bytes: ASYNC_IMPORT_MAX_BYTES },
  headers: ['Connection'],
};
