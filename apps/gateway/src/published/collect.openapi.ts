import type { OpenAPIV3_1 } from 'openapi-types';
import { COLLECT_MAX_BYTES, COLLECT_MAX_LINE_BYTES, COLLECT_MEDIA_TYPE } from '#contracts/collect/collect-report.js';
import { CollectController } from '../collect/collect.controller.js';
import {
  ALL_ACCEPTED,
  CONSENT_LINES,
  EVENT_LINES,
  EVENT_LINES_WITH_MISTAKES,
  IDENTITY_LINES,
  ONE_ACCEPTED,
  ONE_REJECTED,
} from './collect.schemas.js';
import { endpoint, type EndpointText } from './endpoint.js';
import { headers } from './headers.openapi.js';
import { schemaRef } from './object-schema.js';

const tag = 'Collect';

type Examples = Record<string, OpenAPIV3_1.ExampleObject>;

function collect(
  method: 'events' | 'consent' | 'identities',
  what: { summary: string; schema: string; description: string; bodies: Examples; reports: Examples },
): { path: string; item: OpenAPIV3_1.PathItemObject } {
  const text: EndpointText = {
    tag,
    summary: what.summary,
    description: `One JSON object a line (\`${what.schema}\`, see the schemas), LF or CRLF, at most ${COLLECT_MAX_BYTES / 1024 / 1024} MB (${COLLECT_MAX_BYTES.toLocaleString('en-US')} bytes) after inflation and ${COLLECT_MAX_LINE_BYTES.toLocaleString('en-US')} bytes a line. Empty lines are passed over. A bad line does not stop the others: it is named in \`errors\` and left out; a line that is not UTF-8 is \`invalid_json\`. The answer comes when every accepted record is safe. ${what.description} After a 503 or a broken connection send the same body again.`,
    requestHeaders: ['Content-Encoding'],
    requestBody: {
      required: true,
      description: `Each line is a \`${what.schema}\` (#/components/schemas/${what.schema}).`,
      content: { [COLLECT_MEDIA_TYPE]: { schema: { type: 'string' }, examples: what.bodies } },
    },
    responses: {
      202: {
        description: 'Every line was looked at, also when all were rejected.',
        headers: headers([]),
        content: { 'application/json': { schema: schemaRef('CollectReport'), examples: what.reports } },
      },
    },
    problems: ['empty_file', 'invalid_encoding', 'request_timeout', 'body_too_large', 'unsupported_media_type'],
    problemTexts: {
      forbidden: { detail: 'This needs the permission events:write for the asset.' },
      empty_file: { detail: 'The body has no line.', sometimes: [] },
      invalid_encoding: { detail: 'The body is not valid gzip.', extensions: {}, sometimes: [] },
      unavailable: { headers: ['Retry-After'], sometimes: [] },
      body_too_large: {
        detail: `The body may have at most ${COLLECT_MAX_BYTES} bytes after inflation.`,
        extensions: { max_bytes: COLLECT_MAX_BYTES },
        headers: ['Connection'],
      },
      unsupported_media_type: {
        detail: `The Content-Type must be ${COLLECT_MEDIA_TYPE}, in UTF-8.`,
        extensions: { accepted: [COLLECT_MEDIA_TYPE] },
        headers: ['Connection'],
      },
    },
    problemHeaders: ['Connection'],
  };
  return endpoint(CollectController, method, text);
}

/** The paths of collectors. */
export const COLLECT_PATHS = [
  collect('events', {
    summary: 'Take in what visitors did',
    schema: 'CollectedEvent',
    description: 'An `event_id` that came before in the month of its time changes nothing.',
    bodies: {
      two: { summary: 'A page view and a conversion', value: EVENT_LINES },
      mistakes: { summary: 'One line to be rejected', value: EVENT_LINES_WITH_MISTAKES },
    },
    reports: {
      accepted: { summary: 'Every line was accepted', value: ALL_ACCEPTED },
      mistakes: { summary: 'One line was rejected', value: ONE_REJECTED },
    },
  }),
  collect('consent', {
    summary: 'Take in consent decisions',
    schema: 'CollectedConsent',
    description: 'A `consent_id` that came before changes nothing.',
    bodies: { one: { summary: 'A decision', value: CONSENT_LINES } },
    reports: { accepted: { summary: 'Accepted', value: ONE_ACCEPTED } },
  }),
  collect('identities', {
    summary: 'Take in who visitors are',
    schema: 'CollectedIdentity',
    description: 'A `global_user_id` that came before is updated in what the line names.',
    bodies: { one: { summary: 'A person with two visitors', value: IDENTITY_LINES } },
    reports: { accepted: { summary: 'Accepted', value: ONE_ACCEPTED } },
  }),
  endpoint(CollectController, 'status', {
    tag,
    summary: 'How far the reports have come with what was collected',
    description: 'Counts of records that this API took; what collectors publish to Kafka themselves is not in them.',
    responses: {
      200: {
        description: 'The counts of the asset.',
        headers: headers([]),
        content: {
          'application/json': {
            schema: schemaRef('CollectStatus'),
            examples: {
              behind: {
                summary: 'Some are on their way',
                value: {
                  accepted: 120_000,
                  processed: 119_500,
                  pending: 500,
                  newest_event_time: '2026-01-05T08:12:30.000Z',
                },
              },
              none: {
                summary: 'Nothing yet',
                value: { accepted: 0, processed: 0, pending: 0, newest_event_time: null },
              },
            },
          },
        },
      },
    },
    problemTexts: { forbidden: { detail: 'This needs the permission events:write or events:read for the asset.' } },
  }),
];
