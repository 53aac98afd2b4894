import type { OpenAPIV3_1 } from 'openapi-types';
import { ASYNC_IMPORT_MAX_BYTES, SYNC_IMPORT_MAX_BYTES } from '#contracts/cost-import.js';
import { CostImportController } from '../cost-import/cost-import.controller.js';
import { GatewayConfig } from '../gateway.config.js';
import { endpoint } from './endpoint.js';
import { headers, type HeaderName } from './headers.openapi.js';
import { schemaRef, UUID } from './object-schema.js';
import { ASYNC_BODY_TOO_LARGE } from './problems.openapi.js';
import {
  ALIASES_CSV,
  BY_POSITION_CSV,
  CANCELED_JOB,
  CLEAN_CSV,
  CLEAN_REPORT,
  FAILED_JOB,
  MISTAKES_CSV,
  MIXED_REPORT,
  QUEUED_JOB,
  ROWS,
  SUCCEEDED_JOB,
  summaryOf,
} from './cost-import.schemas.js';

const tag = 'Cost import';
const limits = new GatewayConfig();
const RATE: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const FILE: readonly HeaderName[] = [
  'ETag',
  'Repr-Digest',
  'Content-Disposition',
  'X-Service-Export-Rows',
  'Cache-Control',
  ...RATE,
];

const UPLOAD: OpenAPIV3_1.RequestBodyObject = {
  required: true,
  description:
    'UTF-8, comma (`;` and TAB are recognised), standard quoting. `#` begins a comment line. Columns are found by name in any order; without a header they are date, channel, source, campaign, cost, currency, revenue.',
  content: {
    'text/csv': {
      schema: { type: 'string', description: 'The file itself.' },
      examples: {
        clean: { summary: 'Two rows', value: CLEAN_CSV },
        mistakes: { summary: 'One row to be rejected, one with a warning', value: MISTAKES_CSV },
        aliases: { summary: 'Aliases, another order, a comment', value: ALIASES_CSV },
        by_position: { summary: 'Without a header', value: BY_POSITION_CSV },
      },
    },
    'application/json': {
      schema: schemaRef('CostImportRows'),
      examples: { rows: { summary: 'Two rows', value: ROWS } },
    },
  },
};

const JOB_ID = { id: { description: 'The `import_id`.', schema: UUID, example: QUEUED_JOB.import_id } };

function job(examples: Record<string, OpenAPIV3_1.ExampleObject>): OpenAPIV3_1.ResponseObject['content'] {
  return { 'application/json': { schema: schemaRef('CostImportJob'), examples } };
}

/** The paths of the cost import. */
export const COST_IMPORT_PATHS = [
  endpoint(CostImportController, 'importNow', {
    tag,
    summary: 'Import a file of costs and wait for its report',
    description: `At most ${megabytes(SYNC_IMPORT_MAX_BYTES)} after inflation, ${limits.RATE_LIMIT_IMPORTS_PER_MINUTE} a minute and asset, ${limits.SYNC_IMPORT_TIMEOUT_MS / 1000} seconds (settings). One transaction: bad rows are reported and skipped, any other failure writes nothing. A row with the date, channel, source and campaign of a stored one replaces its cost, currency and revenue.`,
    requestHeaders: ['Idempotency-Key', 'Content-Encoding'],
    requestBody: UPLOAD,
    responses: {
      200: {
        description: 'Imported, also when every row was rejected.',
        headers: headers(['X-Service-Import-Id', ...RATE]),
        content: {
          'application/json': {
            schema: schemaRef('CostImportReport'),
            examples: {
              clean: { summary: 'Every row was imported', value: CLEAN_REPORT },
              mistakes: { summary: 'One rejected, one with a warning', value: MIXED_REPORT },
            },
          },
        },
      },
    },
    problems: [
      'empty_file',
      'malformed_csv',
      'invalid_encoding',
      'invalid_json',
      'request_timeout',
      'idempotency_in_progress',
      'invalid_state',
      'body_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'rate_limited',
      'import_failed',
      'import_timeout',
    ],
    problemTexts: {
      invalid_state: { detail: 'The import was canceled.', sometimes: ['Location', 'X-Service-Import-Id'] },
    },
    problemHeaders: [...RATE, 'Connection'],
  }),
  endpoint(CostImportController, 'importLater', {
    tag,
    summary: 'Queue a file of costs',
    description: `At most ${megabytes(ASYNC_IMPORT_MAX_BYTES)} after inflation and ${limits.IMPORT_QUEUED_PER_ASSET} waiting jobs per asset. Faults of the file end the job as \`failed\`; only zero bytes are refused at once. The import may take ${limits.ASYNC_IMPORT_TIMEOUT_MS / 60_000} minutes from its first start.`,
    requestHeaders: ['Idempotency-Key', 'Content-Encoding'],
    requestBody: UPLOAD,
    responses: {
      202: {
        description: 'The file is stored and its job is queued.',
        headers: headers(['Location', 'X-Service-Import-Id']),
        content: {
          'application/json': {
            schema: schemaRef('CostImportAccepted'),
            examples: { queued: { summary: 'Queued', value: { import_id: QUEUED_JOB.import_id, status: 'queued' } } },
          },
        },
      },
    },
    problems: [
      'empty_file',
      'invalid_encoding',
      'request_timeout',
      'body_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'queue_full',
    ],
    problemTexts: {
      empty_file: { detail: 'The body has no bytes.' },
      invalid_encoding: { detail: 'The body is not valid gzip.' },
      body_too_large: ASYNC_BODY_TOO_LARGE,
    },
    problemHeaders: ['Connection'],
  }),
  endpoint(CostImportController, 'list', {
    tag,
    summary: 'List the imports of an asset, newest first',
    description: 'Sync imports too. Reports are in the jobs themselves.',
    responses: {
      200: {
        description: 'One page.',
        headers: headers([]),
        content: {
          'application/json': {
            schema: schemaRef('CostImportJobList'),
            examples: {
              last_page: {
                summary: 'The last page',
                value: { items: [FAILED_JOB, SUCCEEDED_JOB].map(summaryOf), next_cursor: null },
              },
              none: { summary: 'No import yet', value: { items: [], next_cursor: null } },
            },
          },
        },
      },
    },
  }),
  endpoint(CostImportController, 'job', {
    tag,
    summary: 'Status, progress and report of an import',
    pathParameters: JOB_ID,
    responses: {
      200: {
        description: '`Retry-After` is there until the job has ended.',
        headers: headers([], ['Retry-After']),
        content: job({
          queued: { summary: 'Waiting', value: QUEUED_JOB },
          succeeded: { summary: 'Committed', value: SUCCEEDED_JOB },
          failed: { summary: 'Failed, nothing written', value: FAILED_JOB },
        }),
      },
    },
    problemTexts: { not_found: { detail: 'There is no such object.' } },
  }),
  endpoint(CostImportController, 'cancel', {
    tag,
    summary: 'Cancel an import that has not ended',
    description: 'Nothing of it is written.',
    pathParameters: JOB_ID,
    responses: {
      200: {
        description: 'Canceled.',
        headers: headers([]),
        content: job({ canceled: { summary: 'Canceled', value: CANCELED_JOB } }),
      },
    },
    problems: ['invalid_state'],
    problemTexts: {
      not_found: { detail: 'There is no such object.' },
      invalid_state: { detail: 'The import has ended already: succeeded.' },
    },
  }),
  endpoint(CostImportController, 'template', {
    tag,
    summary: 'The template, or an example file',
    description: `Made fresh: both import as they are, with no error and no warning. The name is \`${limits.SERVICE_NAME}_cost_template.csv\` or \`${limits.SERVICE_NAME}_cost_example.csv\`.`,
    requestHeaders: ['If-None-Match'],
    responses: {
      200: {
        description: 'The file.',
        headers: headers([...FILE, 'Content-Length'], ['X-Service-Formulas-Escaped']),
        content: {
          'text/csv': {
            schema: { type: 'string' },
            examples: {
              template: {
                summary: 'Shortened',
                value:
                  '# Advertising cost import. Lines that begin with # are not read.\ndate,channel,cost,source,campaign,currency,revenue\n2026-01-04,Google Ads,1250.00,google,Brand,USD,4300.00\n',
              },
            },
          },
        },
      },
      304: { description: 'The same bytes as before.', headers: headers(FILE, ['X-Service-Formulas-Escaped']) },
    },
    problems: ['rate_limited'],
    problemTexts: {
      rate_limited: {
        detail: `At most ${limits.RATE_LIMIT_EXPORTS_PER_MINUTE} a minute.`,
        headers: ['Retry-After', ...RATE],
      },
    },
    problemHeaders: RATE,
  }),
];

function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB (${bytes.toLocaleString('en-US')} bytes)`;
}
