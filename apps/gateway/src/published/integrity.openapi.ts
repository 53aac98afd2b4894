import type { OpenAPIV3_1 } from 'openapi-types';
import { AllowlistController } from '../integrity/allowlist.controller.js';
import { IntegrityController } from '../integrity/integrity.controller.js';
import { endpoint, type EndpointText } from './endpoint.js';
import { headers } from './headers.openapi.js';
import { INTEGRITY_FILE_PATHS } from './integrity-files.openapi.js';
import { ALLOWLIST_RULE, ENTITY } from './integrity.schemas.js';
import { schemaRef, UUID } from './object-schema.js';
import { jsonBodyTexts } from './json-body.openapi.js';

const tag = 'Integrity';
const READS: EndpointText['problemTexts'] = {
  forbidden: { detail: 'This needs the permission integrity:read for the asset.' },
};
const WRITES: EndpointText['problemTexts'] = {
  forbidden: { detail: 'This needs the permission integrity:write for the asset.' },
};

type Examples = Record<string, OpenAPIV3_1.ExampleObject>;

function json(schema: string, examples: Examples): OpenAPIV3_1.ResponseObject['content'] {
  return { 'application/json': { schema: schemaRef(schema), examples } };
}

/** What integrity found and lets alone. */
export const INTEGRITY_PATHS = [
  ...INTEGRITY_FILE_PATHS,
  endpoint(IntegrityController, 'status', {
    tag,
    summary: 'How far detection has come',
    description:
      'Whoever loads history knows by it when scoring has settled: nothing pending and nothing dirty. What collectors publish to Kafka themselves is not in `pending_events`.',
    responses: {
      200: {
        description: 'The counts of the asset.',
        headers: headers([]),
        content: json('IntegrityStatus', {
          behind: {
            summary: 'Some are on their way',
            value: {
              pending_events: 500,
              dirty_networks: 12,
              ledger_size: 4_120,
              checkpoint_size: 4_100,
              scored_through: '2026-01-31',
            },
          },
          none: {
            summary: 'Nothing yet',
            value: { pending_events: 0, dirty_networks: 0, ledger_size: 0, checkpoint_size: 0, scored_through: null },
          },
        }),
      },
    },
    problemTexts: READS,
  }),
  endpoint(IntegrityController, 'entities', {
    tag,
    summary: 'List networks, hosts, AS numbers and visitors by severity',
    description:
      'Most severe first, then most sessions, then by id. Without `severity`: those that are suspected at least. `severity=clean` lists networks with sessions in the range and nothing found.',
    parameterTexts: { type: { description: 'Only entities of this type.', example: 'network' } },
    responses: {
      200: {
        description: 'One page.',
        headers: headers([]),
        content: json('EntityPage', {
          last_page: { summary: 'The last page', value: { items: [ENTITY], next_cursor: null } },
          none: { summary: 'Nothing found', value: { items: [], next_cursor: null } },
        }),
      },
    },
    problemTexts: READS,
  }),
  endpoint(AllowlistController, 'list', {
    tag,
    summary: 'List what is not scored, newest first',
    responses: {
      200: {
        description: 'One page.',
        headers: headers([]),
        content: json('AllowlistPage', {
          last_page: { summary: 'The last page', value: { items: [ALLOWLIST_RULE], next_cursor: null } },
          none: { summary: 'No rule', value: { items: [], next_cursor: null } },
        }),
      },
    },
    problemTexts: READS,
  }),
  endpoint(AllowlistController, 'add', {
    tag,
    summary: 'Let a network or AS number alone',
    description:
      'For offices, uptime monitors, tests and verified crawlers. It is applied at the next scoring, to the past too, and the ledger keeps every use of it.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaRef('NewAllowlistRule'),
          examples: {
            network: {
              summary: 'A network',
              value: { cidr: '198.51.100.0/24', reason: 'Head office', until: '2026-12-31' },
            },
            asn: { summary: 'An AS number', value: { asn: 64_496, reason: 'Uptime monitor' } },
          },
        },
      },
    },
    responses: {
      201: {
        description: 'The rule.',
        headers: headers(['Location']),
        content: json('AllowlistRule', { added: { summary: 'Added', value: ALLOWLIST_RULE } }),
      },
    },
    problems: ['invalid_json', 'invalid_encoding', 'request_timeout', 'body_too_large', 'unsupported_media_type'],
    problemTexts: {
      ...WRITES,
      invalid_parameter: {
        detail: '`cidr` must have no bit set behind its prefix of /24.',
        extensions: { errors: [{ name: 'cidr', reason: 'must have no bit set behind its prefix of /24' }] },
      },
      ...jsonBodyTexts(16_384),
    },
    problemHeaders: ['Connection'],
  }),
  endpoint(AllowlistController, 'remove', {
    tag,
    summary: 'Remove a rule',
    description: 'It is not applied any more from the next scoring on; the ledger keeps that it was there.',
    pathParameters: { rule_id: { description: 'The `rule_id`.', schema: UUID, example: ALLOWLIST_RULE.rule_id } },
    responses: { 204: { description: 'Removed.', headers: headers([]) } },
    problemTexts: { ...WRITES, not_found: { detail: 'There is no such rule.' } },
  }),
];
