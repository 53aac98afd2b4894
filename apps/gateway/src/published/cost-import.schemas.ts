import {
  DEFAULT_CURRENCY,
  IMPORT_STATUSES,
  MAX_REPORTED_ISSUES,
  MAX_TEXT_CHARACTERS,
  type CostImportJob,
  type CostImportReport,
} from '#contracts/cost-import.js';
import { problemOf } from '#contracts/errors.js';
import { IMPORT_OUTCOMES } from '#contracts/events/cost-import-completed.js';
import { ROW_CODES, type RowCode, type RowIssue } from '#contracts/row-codes.js';
import type { JobSummary } from '../cost-import/import-jobs.js';
import { COUNT, objectOf, orNull, schemaRef, TIMESTAMP, UUID, type Schema } from './object-schema.js';

const ROW_CODE_NAMES = Object.keys(ROW_CODES) as RowCode[];
const NULLABLE_DATE: Schema = { type: ['string', 'null'], format: 'date' };
const NULLABLE_TIMESTAMP: Schema = { type: ['string', 'null'], format: 'date-time' };

const JOB_MEMBERS = {
  import_id: UUID,
  status: { type: 'string', enum: [...IMPORT_STATUSES], description: 'New states may appear.' },
  outcome: {
    type: ['string', 'null'],
    enum: [...IMPORT_OUTCOMES, null],
    description: 'Of a job that succeeded; null otherwise.',
  } as Schema,
  progress: objectOf<CostImportJob['progress']>(
    { bytes_read: COUNT, bytes_total: COUNT, rows_read: COUNT, percent: { type: 'integer', minimum: 0, maximum: 100 } },
    { description: 'Percent by bytes, never going back.' },
  ),
  attempt: { ...COUNT, description: 'How often a worker has started it.' },
  created_at: TIMESTAMP,
  started_at: NULLABLE_TIMESTAMP,
  finished_at: NULLABLE_TIMESTAMP,
  requested_by: { type: 'string', description: 'Name of the principal.' },
  file: objectOf<CostImportJob['file']>(
    { bytes: COUNT, sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' }, content_type: { type: 'string' } },
    { description: 'What was uploaded, inflated.' },
  ),
  error: { ...orNull('JobProblem'), description: 'Of a job that failed: nothing was written.' },
} satisfies Record<keyof JobSummary, Schema>;

export const COST_IMPORT_SCHEMAS: Record<string, Schema> = {
  RowIssue: objectOf<RowIssue>(
    {
      line: { ...COUNT, description: 'Record number: comments and empty lines do not count, the header is 1.' },
      file_line: { ...COUNT, description: 'Physical line in the file, from 1; absent for JSON.' },
      field: { type: 'string' },
      code: {
        type: 'string',
        enum: ROW_CODE_NAMES,
        description: ROW_CODE_NAMES.map(
          (code) =>
            `\`${code}\` (${ROW_CODES[code].field}, ${ROW_CODES[code].rejects ? 'row rejected' : 'row imported'}): ${ROW_CODES[code].meaning}`,
        ).join('\n\n'),
      },
      message: { type: 'string' },
      value: { type: 'string', description: 'The offending text, at most 64 characters.' },
    },
    { optional: ['file_line'], description: 'One remark on one row.' },
  ),
  CostImportReport: objectOf<CostImportReport>(
    {
      ok: { type: 'boolean', description: 'The import was committed, also when every row was rejected.' },
      total: { ...COUNT, description: 'inserted + updated + skipped' },
      inserted: COUNT,
      updated: { ...COUNT, description: 'Includes rows equal to what was stored.' },
      skipped: { ...COUNT, description: 'Rejected rows.' },
      imported_from: { ...NULLABLE_DATE, description: 'Earliest imported date.' },
      imported_to: { ...NULLABLE_DATE, description: 'Latest imported date.' },
      errors: {
        type: 'array',
        maxItems: MAX_REPORTED_ISSUES,
        items: schemaRef('RowIssue'),
        description: 'Of rejected rows, in file order.',
      },
      warnings: {
        type: 'array',
        maxItems: MAX_REPORTED_ISSUES,
        items: schemaRef('RowIssue'),
        description: 'Of imported rows, in file order.',
      },
      errors_total: { ...COUNT, description: `Not cut at ${MAX_REPORTED_ISSUES}.` },
      warnings_total: { ...COUNT, description: `Not cut at ${MAX_REPORTED_ISSUES}.` },
    },
    { description: 'What became of a file, row by row.' },
  ),
  CostImportAccepted: objectOf<{ import_id: string; status: 'queued' }>({
    import_id: UUID,
    status: { type: 'string', enum: ['queued'] },
  }),
  CostImportJobSummary: objectOf<JobSummary>(JOB_MEMBERS, { description: 'A job as lists show it.' }),
  CostImportJob: objectOf<CostImportJob>({
    ...JOB_MEMBERS,
    report: { ...orNull('CostImportReport'), description: 'Of a job that succeeded.' },
  }),
  CostImportJobList: objectOf<{ items: JobSummary[]; next_cursor: string | null }>({
    items: { type: 'array', items: schemaRef('CostImportJobSummary') },
    next_cursor: { type: ['string', 'null'], description: 'Send it as `cursor` for the next page; null on the last.' },
  }),
  CostImportRows: {
    type: 'object',
    description: 'The same rows as JSON; column names and aliases are those of the CSV header.',
    required: ['rows'],
    properties: { rows: { type: 'array', minItems: 1, items: schemaRef('CostImportRow') } },
  },
  CostImportRow: {
    type: 'object',
    description:
      'One row. A row that breaks a rule is reported and skipped; it does not fail the request. `spend` stands for `cost`; `week` and `week_ending` stand for `date`. Other members are ignored.',
    properties: {
      date: {
        ...cell('YYYY-MM-DD or RFC 3339; best the Sunday that ends the week. Required.'),
        examples: ['2026-01-04'],
      },
      channel: {
        ...cell(`Advertising channel, at most ${MAX_TEXT_CHARACTERS} characters. Required.`),
        examples: ['Google Ads'],
      },
      cost: amount('Decimal number, 0 or more; thousands separators are tolerated, no currency symbol. Required.'),
      source: cell(`At most ${MAX_TEXT_CHARACTERS} characters.`),
      campaign: cell(`At most ${MAX_TEXT_CHARACTERS} characters.`),
      currency: cell(`Three letters (ISO 4217); ${DEFAULT_CURRENCY} when absent.`),
      revenue: amount('As the platform reports it.'),
      spend: amount('Alias of `cost`.'),
      week: cell('Alias of `date`.'),
      week_ending: cell('Alias of `date`.'),
    },
  },
};

function cell(description: string): Schema {
  return { type: ['string', 'null'], description };
}

function amount(description: string): Schema {
  return { type: ['string', 'number', 'null'], description, examples: ['1250.00', 1250] };
}

const EMPTY_LISTS = { errors: [], warnings: [], errors_total: 0, warnings_total: 0 };

export const CLEAN_REPORT: CostImportReport = {
  ok: true,
  total: 2,
  inserted: 2,
  updated: 0,
  skipped: 0,
  imported_from: '2026-01-04',
  imported_to: '2026-01-04',
  ...EMPTY_LISTS,
};

/** Of the body in MISTAKES_CSV. */
export const MIXED_REPORT: CostImportReport = {
  ok: true,
  total: 3,
  inserted: 2,
  updated: 0,
  skipped: 1,
  imported_from: '2026-01-04',
  imported_to: '2026-01-04',
  errors: [
    {
      line: 3,
      file_line: 3,
      field: 'cost',
      code: 'invalid_cost',
      message: 'The cost has a comma as decimal sign; write a point, as in 9.99.',
      value: '9,99',
    },
  ],
  warnings: [
    {
      line: 4,
      file_line: 4,
      field: 'channel',
      code: 'unknown_channel',
      message: 'The channel is no known platform and not in the channel mapping; the model puts it in family other.',
      value: 'Hamster Network',
    },
  ],
  errors_total: 1,
  warnings_total: 1,
};

export const CLEAN_CSV =
  'date,channel,cost,source,campaign,currency,revenue\n2026-01-04,Google Ads,1250.00,google,Brand,USD,4300.00\n2026-01-04,Meta Ads,"1,100.50",facebook,Prospecting,USD,\n';
export const MISTAKES_CSV =
  'date,channel,cost\n2026-01-04,Google Ads,1250\n2026-01-04,Meta Ads,"9,99"\n2026-01-04,Hamster Network,20\n';
export const ALIASES_CSV =
  '# columns in any order, others are ignored\nspend,week_ending,channel,comment\n450,2026-01-04,TikTok,first week\n';
export const BY_POSITION_CSV = '2026-01-04,Google Ads,google,Brand,1250.00,USD,4300.00\n';

export const ROWS = {
  rows: [
    {
      date: '2026-01-04',
      channel: 'Google Ads',
      cost: 1250,
      source: 'google',
      campaign: 'Brand',
      currency: 'USD',
      revenue: '4300.00',
    },
    { date: '2026-01-04', channel: 'Meta Ads', cost: '1,100.50', source: 'facebook', campaign: 'Prospecting' },
  ],
};

export const QUEUED_JOB: CostImportJob = {
  import_id: '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10',
  status: 'queued',
  outcome: null,
  progress: { bytes_read: 0, bytes_total: 131, rows_read: 0, percent: 0 },
  attempt: 0,
  created_at: '2026-01-05T08:00:00.123Z',
  started_at: null,
  finished_at: null,
  requested_by: 'Spend uploader',
  file: {
    bytes: 131,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    content_type: 'text/csv',
  },
  report: null,
  error: null,
};

export const SUCCEEDED_JOB: CostImportJob = {
  ...QUEUED_JOB,
  status: 'succeeded',
  outcome: 'clean',
  progress: { bytes_read: 131, bytes_total: 131, rows_read: 2, percent: 100 },
  attempt: 1,
  started_at: '2026-01-05T08:00:00.150Z',
  finished_at: '2026-01-05T08:00:00.210Z',
  report: CLEAN_REPORT,
};

export const FAILED_JOB: CostImportJob = {
  ...QUEUED_JOB,
  status: 'failed',
  attempt: 1,
  started_at: '2026-01-05T08:00:00.150Z',
  finished_at: '2026-01-05T08:00:00.170Z',
  error: problemOf('malformed_csv', 'A quoted field is never closed.', { line: 3, file_line: 3 }),
};

export const CANCELED_JOB: CostImportJob = {
  ...QUEUED_JOB,
  status: 'canceled',
  finished_at: '2026-01-05T08:00:01.000Z',
};

/** A job without its report. */
export function summaryOf({ report: _report, ...summary }: CostImportJob): JobSummary {
  return summary;
}
