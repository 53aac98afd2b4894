import {
  COLLECT_CODES,
  MAX_LIST_CHARACTERS,
  MAX_LIST_ENTRIES,
  type CollectCode,
  type ConsentRecord,
  type EventRecord,
  type IdentityRecord,
} from '#contracts/collect/collected.js';
import {
  MAX_COLLECT_ERRORS,
  type CollectReport,
  type CollectStatus,
  type LineIssue,
} from '#contracts/collect/collect-report.js';
import { COUNT, objectOf, schemaRef, type Schema } from './object-schema.js';

const CODES = Object.keys(COLLECT_CODES) as CollectCode[];

const IP = optional('An address that is none is kept empty and counted in `ip_dropped`.');

/** Properties of records are read from these too; unknown members are ignored. */
export const COLLECT_SCHEMAS: Record<string, Schema> = {
  CollectedEvent: record<Omit<EventRecord, 'time_us'>>(
    'What a visitor did. Fields are checked in this order.',
    ['event_id', 'event_time', 'event_type', 'distinct_id'],
    {
      event_id: required(
        'Unique in the asset and the UTC month of its time; the same again changes nothing. UUIDv7 is fastest.',
        64,
      ),
      event_time: time(
        'RFC 3339, at most 24 hours ahead and ten years old. A leap second counts as the first second of the next day.',
      ),
      event_type: required('`page_view`, `conversion`, `click`, `custom`, …', 64),
      distinct_id: required('The visitor.'),
      event_name: optional(''),
      global_user_id: optional('The person, once known.'),
      page_host: optional(''),
      page_path: optional('', 2048),
      ft_channel: optional('First touch, as the collector attributed it.'),
      ft_source: optional(''),
      lt_channel: optional('Last touch; a session takes it from its first event.'),
      lt_channel_type: optional(''),
      lt_source: optional(''),
      lt_medium: optional(''),
      lt_campaign: optional(''),
      ip: IP,
      geo_country: optional(''),
      geo_region: optional(''),
      geo_city: optional(''),
      ua_browser: optional(''),
      ua_os: optional(''),
      value: {
        type: ['string', 'number', 'null'],
        description:
          'Money of a conversion: at most 15 digits before and 6 after the point, negative for a refund. JSON keeps 15 digits of a number: send more as a text.',
      },
      currency: { type: ['string', 'null'], description: 'Three letters, upper-cased.' },
    },
  ),
  CollectedConsent: record<ConsentRecord>(
    'A consent decision. The IP address is stored only as HMAC-SHA-256 with a key of the asset.',
    ['consent_id', 'consent_at', 'action'],
    {
      consent_id: required('The same again changes nothing.'),
      consent_at: time('RFC 3339, of 1900 to 2100.'),
      action: required('What the visitor did, `accept_all` for example.'),
      accepted: texts('Categories.'),
      rejected: texts('Categories.'),
      mode: optional(''),
      revision: optional('Of the text that was shown.'),
      config_version: optional(''),
      locale: optional(''),
      distinct_id: optional('The visitor.'),
      ip: IP,
    },
  ),
  CollectedIdentity: record<IdentityRecord>(
    'Who visitors are. The same `global_user_id` again updates what it names.',
    ['global_user_id'],
    {
      global_user_id: required('The person.'),
      distinct_ids: texts('Its visitors.'),
      email: optional(''),
      phone: optional(''),
      crm_client_id: optional(''),
      first_seen_at: optionalTime('RFC 3339, of 1900 to 2100.'),
      identified_at: optionalTime('RFC 3339, of 1900 to 2100.'),
    },
  ),
  CollectIssue: objectOf<LineIssue>(
    {
      line: { ...COUNT, minimum: 1, description: 'Physical line of the body, from 1; empty ones count.' },
      field: { type: 'string', description: 'The first that is wrong; empty when the line as a whole is.' },
      code: {
        type: 'string',
        enum: CODES,
        description: CODES.map((code) => `\`${code}\`: ${COLLECT_CODES[code]}`).join('\n\n'),
      },
      message: { type: 'string' },
    },
    { description: 'Why a line was rejected: one reason, the first in the order of the fields.' },
  ),
  CollectReport: objectOf<CollectReport>({
    accepted: { ...COUNT, description: 'Lines whose record is safe now.' },
    rejected: { ...COUNT, description: 'Lines that were left out. Not cut, unlike `errors`.' },
    ip_dropped: { ...COUNT, description: 'Accepted records whose `ip` was none.' },
    errors: { type: 'array', maxItems: MAX_COLLECT_ERRORS, items: schemaRef('CollectIssue') },
  }),
  CollectStatus: objectOf<CollectStatus>({
    accepted: { ...COUNT, description: 'Records that this API took.' },
    processed: { ...COUNT, description: 'Of these, what reports know by now; duplicates and dead letters included.' },
    pending: { ...COUNT, description: 'What is left of `accepted`.' },
    newest_event_time: { type: ['string', 'null'], format: 'date-time', description: 'Of an event in the reports.' },
  }),
};

function record<T extends object>(
  description: string,
  fields: readonly (keyof T & string)[],
  properties: { [K in keyof Required<T>]: Schema },
): Schema {
  return { type: 'object', description, required: [...fields], properties, additionalProperties: true };
}

function required(description: string, maxLength = 256): Schema {
  return { type: 'string', minLength: 1, maxLength, description };
}

function optional(description: string, maxLength = 256): Schema {
  return { type: ['string', 'null'], maxLength, ...(description === '' ? {} : { description }) };
}

function time(description: string): Schema {
  return { type: 'string', format: 'date-time', description };
}

function optionalTime(description: string): Schema {
  return { type: ['string', 'null'], format: 'date-time', description };
}

function texts(what: string): Schema {
  return {
    type: ['array', 'null'],
    maxItems: MAX_LIST_ENTRIES,
    items: { type: 'string', minLength: 1, maxLength: 256 },
    description: `${what} Together at most ${MAX_LIST_CHARACTERS.toLocaleString('en-US')} characters; absent: none.`,
  };
}

const EVENT = {
  event_id: '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10',
  event_time: '2026-01-05T08:00:00.123Z',
  event_type: 'page_view',
  distinct_id: 'visitor-1',
  page_host: 'shop.example',
  page_path: '/shoes',
  lt_channel: 'Google Ads',
  lt_channel_type: 'paid',
  lt_source: 'google',
  lt_medium: 'cpc',
  lt_campaign: 'Brand',
  ip: '203.0.113.7',
  geo_country: 'DE',
  ua_browser: 'Firefox',
  ua_os: 'Linux',
};

export const EVENT_LINES = lines(EVENT, {
  event_id: '019aa1c2-8b10-7c55-9a3e-2f6d1b7c4e90',
  event_time: '2026-01-05T09:12:30+01:00',
  event_type: 'conversion',
  distinct_id: 'visitor-1',
  global_user_id: 'u-1',
  value: '49.90',
  currency: 'EUR',
});

/** `type` and not `event_type`; an address that is none. */
export const EVENT_LINES_WITH_MISTAKES = lines(
  { ...EVENT, ip: 'unknown' },
  {
    event_id: '019aa1c2-8b10-7c55-9a3e-2f6d1b7c4e90',
    event_time: '2026-01-05T08:12:30Z',
    type: 'click',
    distinct_id: 'visitor-1',
  },
);

export const CONSENT_LINES = lines({
  consent_id: 'c-1',
  consent_at: '2026-01-05T08:00:00Z',
  action: 'accept_selected',
  accepted: ['necessary', 'analytics'],
  rejected: ['marketing'],
  mode: 'opt-in',
  revision: '3',
  config_version: '2026-01',
  locale: 'de-DE',
  distinct_id: 'visitor-1',
  ip: '203.0.113.7',
});

export const IDENTITY_LINES = lines({
  global_user_id: 'u-1',
  distinct_ids: ['visitor-1', 'visitor-7'],
  email: 'ada@example.com',
  phone: '+49 30 901820',
  crm_client_id: '4711',
  first_seen_at: '2026-01-02T10:00:00Z',
  identified_at: '2026-01-05T08:12:30Z',
});

/** Of EVENT_LINES, and of two good lines of any kind. */
export const ALL_ACCEPTED: CollectReport = { accepted: 2, rejected: 0, ip_dropped: 0, errors: [] };
export const ONE_ACCEPTED: CollectReport = { ...ALL_ACCEPTED, accepted: 1 };

/** Of EVENT_LINES_WITH_MISTAKES. */
export const ONE_REJECTED: CollectReport = {
  accepted: 1,
  rejected: 1,
  ip_dropped: 1,
  errors: [{ line: 2, field: 'event_type', code: 'missing_field', message: 'event_type is missing.' }],
};

function lines(...records: object[]): string {
  return records.map((one) => `${JSON.stringify(one)}\n`).join('');
}
