import { EXPORT_FILE_DAYS } from '#contracts/exports.js';
import { ExportRecordsController } from '../exports/export-records.controller.js';
import { endpoint, type EndpointText } from './endpoint.js';
import { FAILED_EXPORT, QUEUED_EXPORT, SUCCEEDED_EXPORT } from './exports.schemas.js';
import { headers } from './headers.openapi.js';
import { schemaRef, UUID } from './object-schema.js';
import { jsonBodyTexts } from './json-body.openapi.js';

const tag = 'Exports';
const EXPORT_ID = { id: { description: 'The `export_id`.', schema: UUID, example: QUEUED_EXPORT.export_id } };
const RAW_RESTRICTED = 'The file is of raw data, and the membership carries the raw data restriction.';
const OF_A_FILE: EndpointText['problemTexts'] = {
  not_found: { detail: 'There is no such object.' },
  forbidden: { detail: 'The file holds cost data, which the membership may not see: export it anew.' },
  raw_data_restricted: { detail: RAW_RESTRICTED },
};

/** What was exported, and what would be. */
export const EXPORT_RECORD_PATHS = [
  endpoint(ExportRecordsController, 'list', {
    tag,
    summary: 'List the exports of an asset, newest first',
    description: 'Those of files that the permissions of the membership cover.',
    responses: {
      200: {
        description: 'One page.',
        headers: headers([]),
        content: {
          'application/json': {
            schema: schemaRef('ExportList'),
            examples: {
              last_page: {
                summary: 'The last page',
                value: { items: [SUCCEEDED_EXPORT, FAILED_EXPORT], next_cursor: null },
              },
              none: { summary: 'No export yet', value: { items: [], next_cursor: null } },
            },
          },
        },
      },
    },
  }),
  endpoint(ExportRecordsController, 'estimate', {
    tag,
    summary: 'Rows and bytes of a file before it is made',
    description: 'Needs the permission of the file. Nothing is made, and it does not count as an export.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaRef('EstimateRequest'),
          examples: {
            raw: {
              summary: 'Raw events of a month',
              value: { path: '/api/v1/events/raw?format=csv', from: '2026-01-01', to: '2026-01-31' },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The estimate.',
        headers: headers([]),
        content: {
          'application/json': {
            schema: schemaRef('Estimate'),
            examples: {
              raw: {
                summary: 'Without a cap',
                value: { rows: 1_000_000, bytes: 204_000_000, limit: null, truncated: 0 },
              },
            },
          },
        },
      },
    },
    problems: [
      'invalid_json',
      'invalid_encoding',
      'range_too_large',
      'invalid_state',
      'raw_data_restricted',
      'unknown_report',
      'request_timeout',
      'body_too_large',
      'unsupported_media_type',
    ],
    problemTexts: {
      invalid_parameter: {
        detail: '`colour` is not a member of this body.',
        extensions: { errors: [{ name: 'colour', reason: 'is not a member of this body' }] },
      },
      invalid_state: { detail: 'The run is running: it has no file.', sometimes: ['Retry-After'] },
      ...jsonBodyTexts(16_384),
      unavailable: { detail: 'There was no time for an estimate.', headers: ['Retry-After'], sometimes: [] },
    },
    problemHeaders: ['Connection'],
  }),
  endpoint(ExportRecordsController, 'record', {
    tag,
    summary: 'Status of an export, and a link to its file',
    description: 'Needs the permission of the file, and is refused to whom the file itself would be refused now.',
    pathParameters: EXPORT_ID,
    responses: {
      200: {
        description: '`Retry-After` is there until the export has ended.',
        headers: headers([], ['Retry-After']),
        content: {
          'application/json': {
            schema: schemaRef('Export'),
            examples: {
              queued: { summary: 'Waiting', value: QUEUED_EXPORT },
              succeeded: { summary: 'The file is there', value: SUCCEEDED_EXPORT },
              failed: { summary: 'Failed', value: FAILED_EXPORT },
            },
          },
        },
      },
    },
    problems: ['raw_data_restricted'],
    problemTexts: OF_A_FILE,
  }),
  endpoint(ExportRecordsController, 'file', {
    tag,
    summary: 'The file of an export',
    description: 'Redirects to a signed link, good for five minutes; Range works there.',
    pathParameters: EXPORT_ID,
    responses: { 302: { description: 'To the file.', headers: headers(['Location', 'Cache-Control']) } },
    problems: ['raw_data_restricted', 'invalid_state', 'expired'],
    problemTexts: {
      ...OF_A_FILE,
      invalid_state: { detail: 'The export is running.', sometimes: ['Retry-After'] },
      expired: { detail: `Finished files are kept ${EXPORT_FILE_DAYS} days: export it anew.` },
    },
  }),
];
