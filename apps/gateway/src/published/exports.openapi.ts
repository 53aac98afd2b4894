import { REPORTS } from '#contracts/exports.js';
import { CHANNELS_LAYOUT } from '#contracts/layouts/channels.layout.js';
import { GEO_LAYOUT } from '#contracts/layouts/geo.layout.js';
import { OVERVIEW_LAYOUT } from '#contracts/layouts/overview.layout.js';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { SOURCES_LAYOUT } from '#contracts/layouts/sources.layout.js';
import { TECH_LAYOUT } from '#contracts/layouts/tech.layout.js';
import { USERS_LAYOUT } from '#contracts/layouts/users.layout.js';
import { ExportsController } from '../exports/exports.controller.js';
import { endpoint } from './endpoint.js';
import { ADVANCED_CSV, ADVANCED_JSON, CONSENT_CSV, CONSENT_JSON } from './exports.schemas.js';
import { csv, file, json } from './file-endpoint.js';

const tag = 'Exports';
const LAYOUTS: Record<(typeof REPORTS)[number], readonly { header: string }[]> = {
  channels: CHANNELS_LAYOUT,
  sources: SOURCES_LAYOUT,
  geo: GEO_LAYOUT,
  tech: TECH_LAYOUT,
  overview: OVERVIEW_LAYOUT,
  users: USERS_LAYOUT,
};

/** The paths that give out files. */
export const EXPORT_PATHS = [
  endpoint(
    ExportsController,
    'report',
    file(
      {
        tag,
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
        tag,
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
        tag,
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
        tag,
        summary: 'Consent records',
        description:
          '`consent-records.csv`, newest first, at most 50,000. `accepted` and `rejected` are lists of categories with spaces between. The IP address is never exported. `format=json` gives the same as JSON.',
      },
      { ...csv(CONSENT_CSV), ...json('ConsentRecords', CONSENT_JSON) },
    ),
  ),
];
