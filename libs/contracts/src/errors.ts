/**
 * Every error a client can meet: the stable `code`, its HTTP status, its title and what it means. README and OpenAPI
 * are checked against this table by a test.
 */
export const ERRORS = {
  empty_file: {
    status: 400,
    title: 'The file is empty',
    meaning: 'Zero bytes, only comments or empty lines, or a header and no row.',
  },
  malformed_csv: {
    status: 400,
    title: 'The file is not valid CSV',
    meaning:
      'A quote in the wrong place or never closed, a lone carriage return, or a record over 64 KiB. `line` and `file_line` say where.',
  },
  invalid_encoding: {
    status: 400,
    title: 'The file is not UTF-8',
    meaning: 'UTF-16, bytes that are no UTF-8, or NUL.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not the expected JSON',
    meaning: 'Not JSON, or no object with an array `rows`.',
  },
  invalid_parameter: {
    status: 400,
    title: 'A parameter is not valid',
    meaning: 'Unknown, given twice, or not of its form; `errors` names each.',
  },
  asset_required: {
    status: 400,
    title: 'Say which asset',
    meaning: 'The token sees several assets (or none), and `asset_id` was left out.',
  },
  range_too_large: {
    status: 400,
    title: 'The date range is too large',
    meaning: 'More than 366 days; of a marketing mix model, more than 260 weeks.',
  },
  unauthenticated: {
    status: 401,
    title: 'No valid token',
    meaning: 'No bearer token, or one that is unknown, expired or revoked.',
  },
  forbidden: { status: 403, title: 'Not permitted', meaning: 'The membership lacks the permission.' },
  raw_data_restricted: {
    status: 403,
    title: 'Raw data is restricted',
    meaning: 'The membership carries the raw data restriction.',
  },
  not_found: { status: 404, title: 'Not found', meaning: 'No such path or object, or one of another tenant.' },
  unknown_report: { status: 404, title: 'No such report', meaning: 'The report is not one of the names in `allowed`.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists; `Allow` names its methods.',
  },
  request_timeout: {
    status: 408,
    title: 'The request came too slowly',
    meaning: 'The body arrived at under 1 KB/s for 30 seconds.',
  },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    meaning: 'For example canceling a job that has ended.',
  },
  test_overlap: {
    status: 409,
    title: 'Overlapping lift test',
    meaning: 'Another test of the same channel and place overlaps.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Still running',
    meaning: 'The first request with this Idempotency-Key has not ended; `Location` names its job.',
  },
  expired: { status: 410, title: 'The file has expired', meaning: 'Finished files are kept 7 days.' },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'Over `max_bytes` after inflation; `async_url` takes larger files.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'Content-Type or Content-Encoding is not one of `accepted`.',
  },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable', meaning: 'The range lies outside the file.' },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key was used for another body',
    meaning: 'The same key came before with other bytes or another type.',
  },
  rate_limited: { status: 429, title: 'Too many requests', meaning: '`Retry-After` says when to come again.' },
  queue_full: {
    status: 429,
    title: 'Too many queued imports',
    meaning: 'The asset has its maximum of queued imports.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something failed that was not foreseen; the log has it under `request_id`.',
  },
  import_failed: { status: 500, title: 'The import failed', meaning: 'Nothing was written (`nothing_written: true`).' },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    meaning: 'A part of the service is away; `Retry-After` says when to come again.',
  },
  import_timeout: {
    status: 504,
    title: 'The import took too long',
    meaning: 'Rolled back (`nothing_written: true`); `blocked_by` names another import that was in the way.',
  },
  export_timeout: { status: 504, title: 'The export takes long', meaning: 'It goes on; `Location` names it.' },
} as const satisfies Record<string, { status: number; title: string; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** Members added to the problem object, for example `max_bytes`. */
  extensions?: Record<string, unknown>;
  /** Response headers, for example `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A foreseen failure. `detail` is one sentence that may be shown to the client. */
export class AppError extends Error {
  readonly extensions: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    options: AppErrorOptions = {},
  ) {
    super(detail, { cause: options.cause });
    this.name = 'AppError';
    this.extensions = options.extensions ?? {};
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** RFC 9457 problem object, without the members that only a request has (`instance`, `request_id`). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  code: ErrorCode;
  [extension: string]: unknown;
}

/** The problem object of a code; the only place where its shape is made. */
export function problemOf(code: ErrorCode, detail?: string, extensions: Record<string, unknown> = {}): Problem {
  const { status, title } = ERRORS[code];
  return {
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title,
    status,
    ...(detail === undefined ? {} : { detail }),
    code,
    ...extensions,
  };
}
