import { EXPORT_STATUSES, type ExportRecord } from '#contracts/exports.js';
import { problemOf } from '#contracts/errors.js';
import { CHANNELS_ADVANCED_LAYOUT } from '#contracts/layouts/channels-advanced.layout.js';
import type { Estimate } from '../exports/export-jobs.js';
import type { ExportAccepted } from '../exports/exports.service.js';
import type { Page } from '../lists/paging.js';
import { COUNT, objectOf, orNull, schemaRef, TIMESTAMP, UUID, type Schema } from './object-schema.js';

const TEXT: Schema = { type: 'string' };
const DAY: Schema = { type: 'string', format: 'date' };
const NULLABLE_TIMESTAMP: Schema = { type: ['string', 'null'], format: 'date-time' };
const LIMIT: Schema = { type: ['integer', 'null'], minimum: 0, description: 'Null: the file has no cap.' };
const TRUNCATED: Schema = { ...COUNT, description: 'Rows left out because of the cap.' };
const TEXT_LIST: Schema = { type: 'array', items: TEXT };

export interface Metadata {
  title: string;
  property: { id: string; name: string };
  date_range: { from: string; to: string };
  timezone: string;
  generated: string;
}

export const METADATA = objectOf<Metadata>({
  title: TEXT,
  property: objectOf<Metadata['property']>({ id: UUID, name: TEXT }, { description: 'The asset.' }),
  date_range: objectOf<Metadata['date_range']>({ from: DAY, to: DAY }),
  timezone: TEXT,
  generated: { ...TIMESTAMP, description: 'Does not count for the ETag.' },
});

const ADVANCED_ROW: Schema = {
  type: 'object',
  required: CHANNELS_ADVANCED_LAYOUT.map(({ key }) => key),
  properties: Object.fromEntries(
    CHANNELS_ADVANCED_LAYOUT.map(({ key, type }) => [key, type === 'integer' ? COUNT : TEXT]),
  ),
};

export const EXPORT_SCHEMAS: Record<string, Schema> = {
  ExportAccepted: objectOf<ExportAccepted>({ export_id: UUID, status: { type: 'string', enum: ['queued'] } }),
  Export: objectOf<ExportRecord>(
    {
      export_id: UUID,
      path: { ...TEXT, description: 'As it was asked, without the query.' },
      parameters: {
        type: 'object',
        additionalProperties: TEXT,
        description: 'The query as it was understood: the asset and both days always.',
      },
      status: { type: 'string', enum: [...EXPORT_STATUSES], description: 'New states may appear.' },
      requested_by: { ...TEXT, description: 'Name of the principal.' },
      created_at: TIMESTAMP,
      started_at: NULLABLE_TIMESTAMP,
      finished_at: NULLABLE_TIMESTAMP,
      file: { ...orNull('ExportedFile'), description: 'Of an export that succeeded.' },
      download_url: {
        type: ['string', 'null'],
        format: 'uri',
        description:
          'For five minutes, made anew at each look; its holder needs no token, and Range works there. Null while there is no file, after its seven days, and in lists for a file that the membership may not have now.',
      },
      error: { ...orNull('JobProblem'), description: 'Of an export that failed.' },
    },
    { description: 'What was exported, by whom and when; kept 400 days (a setting).' },
  ),
  ExportedFile: objectOf<NonNullable<ExportRecord['file']>>({
    name: TEXT,
    bytes: COUNT,
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    rows: { ...COUNT, description: 'Data rows.' },
    limit: LIMIT,
    truncated: TRUNCATED,
  }),
  ExportList: objectOf<Page<ExportRecord>>({
    items: { type: 'array', items: schemaRef('Export') },
    next_cursor: { type: ['string', 'null'], description: 'Send it as `cursor` for the next page; null on the last.' },
  }),
  EstimateRequest: {
    type: 'object',
    description: 'Any other member is refused.',
    required: ['path'],
    properties: {
      path: {
        ...TEXT,
        description:
          'Path of the file. It may carry `format`, `bom`, `formulas` and `cap` as when the file itself is asked for; the range is given here beside it.',
        examples: ['/api/v1/export/geo.csv', '/api/v1/events/raw?format=csv'],
      },
      from: {
        ...DAY,
        description: 'As in the query of the file, with the same default. Files of models and lift tests ignore it.',
      },
      to: { ...DAY, description: 'As `from`.' },
    },
  },
  Estimate: objectOf<Estimate>({
    rows: { ...COUNT, description: 'Data rows that the file would have.' },
    bytes: { ...COUNT, description: 'Their size, from a sample.' },
    limit: LIMIT,
    truncated: TRUNCATED,
  }),
  AdvancedChannels: {
    type: 'object',
    required: ['metadata', 'columns', 'rows', 'totals'],
    properties: {
      metadata: METADATA,
      columns: {
        type: 'array',
        items: {
          type: 'object',
          required: ['key', 'label', 'type'],
          properties: { key: TEXT, label: TEXT, type: { type: 'string', enum: ['text', 'integer'] } },
        },
      },
      rows: { type: 'array', items: ADVANCED_ROW },
      totals: {
        type: 'object',
        description: 'Of the rows in the file.',
        required: ['users', 'sessions', 'pageviews'],
        properties: { users: COUNT, sessions: COUNT, pageviews: COUNT },
      },
    },
  },
  ConsentRecords: {
    type: 'object',
    required: ['metadata', 'records'],
    properties: {
      metadata: METADATA,
      records: {
        type: 'array',
        items: {
          type: 'object',
          required: [
            'consent_id',
            'consent_at',
            'action',
            'accepted',
            'rejected',
            'mode',
            'revision',
            'config_version',
            'locale',
          ],
          properties: {
            consent_id: TEXT,
            consent_at: TIMESTAMP,
            action: TEXT,
            accepted: TEXT_LIST,
            rejected: TEXT_LIST,
            mode: TEXT,
            revision: TEXT,
            config_version: TEXT,
            locale: TEXT,
          },
        },
      },
    },
  },
};

export const METADATA_EXAMPLE: Metadata = {
  title: 'Tallyport channels export',
  property: { id: '0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11', name: 'Demo shop' },
  date_range: { from: '2026-01-01', to: '2026-01-31' },
  timezone: 'Europe/Berlin',
  generated: '2026-02-01T08:00:00Z',
};

export const ADVANCED_CSV =
  '# Tallyport channels export\n# Property: Demo shop\n# Date range: 2026-01-01..2026-01-31\n# Timezone: Europe/Berlin\n# Generated: 2026-02-01T08:00:00Z\nChannel,Channel Type,Source,Medium,Campaign,Users,Sessions,Pageviews\nGoogle Ads,paid,google,cpc,Brand,310,402,1310\nTotal,,,,,310,402,1310\n';
export const ADVANCED_JSON = {
  metadata: METADATA_EXAMPLE,
  columns: CHANNELS_ADVANCED_LAYOUT.map(({ key, header, type }) => ({ key, label: header, type })),
  rows: [
    {
      channel: 'Google Ads',
      channel_type: 'paid',
      source: 'google',
      medium: 'cpc',
      campaign: 'Brand',
      users: 310,
      sessions: 402,
      pageviews: 1310,
    },
  ],
  totals: { users: 310, sessions: 402, pageviews: 1310 },
};

export const CONSENT_CSV =
  'consent_id,consent_at,action,accepted,rejected,mode,revision,config_version,locale\nc-1,2026-01-05T08:00:00Z,accept,analytics marketing,,opt-in,3,2026-01,de-DE\n';
export const CONSENT_JSON = {
  metadata: { ...METADATA_EXAMPLE, title: 'Tallyport consent records export' },
  records: [
    {
      consent_id: 'c-1',
      consent_at: '2026-01-05T08:00:00Z',
      action: 'accept',
      accepted: ['analytics', 'marketing'],
      rejected: [],
      mode: 'opt-in',
      revision: '3',
      config_version: '2026-01',
      locale: 'de-DE',
    },
  ],
};

const ID = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';
export const QUEUED_EXPORT: ExportRecord = {
  export_id: ID,
  path: '/api/v1/export/geo.csv',
  parameters: { asset_id: METADATA_EXAMPLE.property.id, from: '2026-01-01', to: '2026-01-31' },
  status: 'queued',
  requested_by: 'Weekly report',
  created_at: '2026-02-01T08:00:00.000Z',
  started_at: null,
  finished_at: null,
  file: null,
  download_url: null,
  error: null,
};

export const SUCCEEDED_EXPORT: ExportRecord = {
  ...QUEUED_EXPORT,
  status: 'succeeded',
  started_at: '2026-02-01T08:00:00.012Z',
  finished_at: '2026-02-01T08:00:00.047Z',
  file: {
    name: 'tallyport-geo-2026-01-01_2026-01-31.csv',
    bytes: 18_211,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    rows: 412,
    limit: 5000,
    truncated: 0,
  },
  download_url: `https://storage.example.com/tallyport/exports/${METADATA_EXAMPLE.property.id}/${ID}/tallyport-geo-2026-01-01_2026-01-31.csv?X-Amz-Signature=0f1e`,
};

export const FAILED_EXPORT: ExportRecord = {
  ...QUEUED_EXPORT,
  status: 'failed',
  started_at: '2026-02-01T08:00:00.012Z',
  finished_at: '2026-02-01T08:30:00.000Z',
  error: problemOf('export_timeout', 'The export was given up at its time limit.'),
};
