import type { OpenAPIV3_1 } from 'openapi-types';
import { REPORTS } from '#contracts/exports.js';
import { CHANNELS_LAYOUT } from '#contracts/layouts/channels.layout.js';
import { GEO_LAYOUT } from '#contracts/layouts/geo.layout.js';
import { OVERVIEW_LAYOUT } from '#contracts/layouts/overview.layout.js';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { SOURCES_LAYOUT } from '#contracts/layouts/sources.layout.js';
import { TECH_LAYOUT } from '#contracts/layouts/tech.layout.js';
import { USERS_LAYOUT } from '#contracts/layouts/users.layout.js';
import { ExportsController } from '../exports/exports.controller.js';
import { GatewayConfig } from '../gateway.config.js';
import { endpoint, type EndpointText } from './endpoint.js';
import { headers, type HeaderName } from './headers.openapi.js';
import { schemaRef } from './object-schema.js';
import { ADVANCED_CSV, ADVANCED_JSON, CONSENT_CSV, CONSENT_JSON, QUEUED_EXPORT } from './exports.schemas.js';

const tag = 'Exports';
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

const LAYOUTS: Record<(typeof REPORTS)[number], readonly { header: string }[]> = {
  channels: CHANNELS_LAYOUT,
  sources: SOURCES_LAYOUT,
  geo: GEO_LAYOUT,
  tech: TECH_LAYOUT,
  overview: OVERVIEW_LAYOUT,
  users: USERS_LAYOUT,
};

type Content = NonNullable<OpenAPIV3_1.ResponseObject['content']>;

function csv(value: string): Content {
  return { 'text/csv': { schema: { type: 'string' }, examples: { file: { summary: 'Shortened', value } } } };
}

function json(schema: string, value: object): Content {
  return { 'application/json': { schema: schemaRef(schema), examples: { file: { summary: 'Shortened', value } } } };
}

/** What all files have in common. */
function file(
  text: Pick<EndpointText, 'summary' | 'description' | 'problems' | 'problemTexts' | 'pathParameters'>,
  content: Content,
): EndpointText {
  return {
    ...text,
    tag,
    description: `${text.description ?? ''}\n\nAt most ${limits.RATE_LIMIT_EXPORTS_PER_MINUTE} a minute and token, HEAD and 304 too (a setting). A file that takes longer than ${limits.EXPORT_WAIT_TIMEOUT_MS / 1000} seconds (a setting) goes on: 504 \`export_timeout\` says where it will be. A connection that ends before \`Content-Length\` bytes is a failure, never a shorter file.`,
    requestHeaders: ['If-None-Match', 'Prefer'],
    responses: {
      200: { description: 'The file.', headers: headers([...FILE, 'Content-Length'], SOMETIMES), content },
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
      304: { description: 'The same content as before.', headers: headers(FILE, SOMETIMES) },
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

/** The paths that give out files. */
export const EXPORT_PATHS = [
  endpoint(
    ExportsController,
    'report',
    file(
      {
        summary: 'A report',
        description: `${REPORTS.map((report) => `\`${report}\`: ${LAYOUTS[report].map(({ header }) => header).join(', ')}`).join('\n\n')}\n\nAt most 5,000 rows, \`users\` 50,000: those with most sessions, or newest identified. \`users\` needs \`users:read\`, the others \`reports:read\`. \`users\` are people, distinct over the whole range. With the cost data restriction \`channels\` has no columns spend, currency, reported_revenue and reported_roas.`,
        pathParameters: {
          report: { description: 'Which one.', schema: { type: 'string', enum: [...REPORTS] }, example: 'geo' },
        },
        problems: ['unknown_report'],
      },
      csv('country,region,city,users,sessions,pageviews,conversions\nDE,BE,Berlin,310,402,1310,21\n'),
    ),
  ),
  endpoint(
    ExportsController,
    'channelsAdvanced',
    file(
      {
        summary: 'Channels with source, medium and campaign',
        description:
          'A block of `#` lines, the header, at most 5,000 rows, and a row of totals; with a byte-order mark. `format=json` gives the same as JSON.',
      },
      { ...csv(ADVANCED_CSV), ...json('AdvancedChannels', ADVANCED_JSON) },
    ),
  ),
  endpoint(
    ExportsController,
    'rawEvents',
    file(
      {
        summary: 'Raw events',
        description: `\`raw-events.csv\`, oldest first, without a cap: ${RAW_EVENTS_LAYOUT.map(({ header }) => header).join(', ')}. Not for memberships with the raw data restriction.`,
        problems: ['raw_data_restricted'],
      },
      csv(
        `${RAW_EVENTS_LAYOUT.map(({ header }) => header).join(',')}\n2026-01-05T08:00:00Z,page_view,,d-1,,shop.example.com,/,Google Ads,google,Google Ads,203.0.113.7,DE,BE,Berlin,Firefox,Linux\n`,
      ),
    ),
  ),
  endpoint(
    ExportsController,
    'consentRecords',
    file(
      {
        summary: 'Consent records',
        description:
          '`consent-records.csv`, newest first, at most 50,000. `accepted` and `rejected` are lists of categories with spaces between. The IP address is never exported. `format=json` gives the same as JSON.',
      },
      { ...csv(CONSENT_CSV), ...json('ConsentRecords', CONSENT_JSON) },
    ),
  ),
];
