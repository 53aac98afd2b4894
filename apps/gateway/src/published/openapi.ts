import type { OpenAPIV3_1 } from 'openapi-types';
import { CHANNEL_MAPPING_PATHS } from './channel-mapping.openapi.js';
import { COLLECT_PATHS } from './collect.openapi.js';
import { COLLECT_SCHEMAS } from './collect.schemas.js';
import { COST_IMPORT_PATHS } from './cost-import.openapi.js';
import { COST_IMPORT_SCHEMAS } from './cost-import.schemas.js';
import { EXPORT_RECORD_PATHS } from './export-records.openapi.js';
import { EXPORT_PATHS } from './exports.openapi.js';
import { EXPORT_SCHEMAS } from './exports.schemas.js';
import { REQUEST_HEADERS } from './headers.openapi.js';
import { INTEGRITY_PATHS } from './integrity.openapi.js';
import { INTEGRITY_SCHEMAS } from './integrity.schemas.js';
import { LIFT_TEST_SCHEMAS } from './lift-test.schemas.js';
import { LIFT_TEST_PATHS } from './lift-tests.openapi.js';
import { MIX_RUN_SCHEMAS } from './mix-run.schemas.js';
import { MIX_RUN_PATHS } from './mix-runs.openapi.js';
import { MODELING_FILE_PATHS } from './modeling-files.openapi.js';
import { MODELING_SETTINGS_PATHS } from './modeling-settings.openapi.js';
import { MODELING_SETTINGS_SCHEMAS } from './modeling-settings.schemas.js';
import { MODELING_VALUE_SCHEMAS } from './modeling-values.schemas.js';
import { MODELS_TAG } from './models.openapi.js';
import { OPERATIONS_PATHS, OPERATIONS_SCHEMAS } from './operations.openapi.js';
import { PROBLEM_SCHEMAS, problemResponse } from './problems.openapi.js';

const DESCRIPTION = `CSV import and export for advertising analytics.

**Access.** \`Authorization: Bearer <token>\`, and nowhere else. A token sees the assets of its principal's memberships; each path names the permission that it needs. An object of another tenant is 404, exactly as one that does not exist.

**Asset.** \`asset_id\` may be left out when the token sees exactly one asset.

**Parameters** are strict: an unknown one, or one given twice, is 400 \`invalid_parameter\` and named.

**Errors** are \`application/problem+json\` (RFC 9457) everywhere, with a stable \`code\`. A path that does not exist is 404 \`not_found\`; a path that exists, asked with another method, is 405 \`method_not_allowed\` with \`Allow\` (see the responses under components). Every GET answers HEAD too, with the same headers and no body.

**Changes.** New parameters, headers, JSON members, row codes and job states may appear at any time: ignore what you do not know. \`/api/v1\` is kept for 12 months after a successor.`;

/** The OpenAPI document of this program, complete for what it serves. */
export function openApiDocument(): OpenAPIV3_1.Document {
  const paths: Record<string, OpenAPIV3_1.PathItemObject> = {};
  for (const { path, item } of [
    ...COST_IMPORT_PATHS,
    ...CHANNEL_MAPPING_PATHS,
    ...COLLECT_PATHS,
    ...EXPORT_PATHS,
    ...EXPORT_RECORD_PATHS,
    ...INTEGRITY_PATHS,
    ...MIX_RUN_PATHS,
    ...LIFT_TEST_PATHS,
    ...MODELING_FILE_PATHS,
    ...MODELING_SETTINGS_PATHS,
    ...OPERATIONS_PATHS,
  ])
    paths[path] = { ...paths[path], ...item };
  return {
    openapi: '3.1.0',
    info: { title: 'Tallyport API', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/', description: 'This server.' }],
    tags: [
      { name: 'Cost import', description: 'Upload advertising costs and read what became of each row.' },
      { name: 'Collect', description: 'Send events, consent and identities.' },
      { name: 'Exports', description: 'Files out of the data of an asset, and what was exported.' },
      {
        name: 'Integrity',
        description: 'Invalid traffic: what was found, files for platforms, and what is let alone.',
      },
      MODELS_TAG,
      { name: 'Files', description: 'Downloads by signed links.' },
      { name: 'Operations', description: 'For orchestrators, load balancers and monitoring.' },
      { name: 'Published interface', description: 'These descriptions.' },
    ],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'tp_<id>_<secret>',
          description: 'An API token; shown once when it is made, can be revoked.',
        },
      },
      parameters: REQUEST_HEADERS,
      schemas: {
        ...COST_IMPORT_SCHEMAS,
        ...COLLECT_SCHEMAS,
        ...EXPORT_SCHEMAS,
        ...INTEGRITY_SCHEMAS,
        ...MODELING_VALUE_SCHEMAS,
        ...MIX_RUN_SCHEMAS,
        ...LIFT_TEST_SCHEMAS,
        ...MODELING_SETTINGS_SCHEMAS,
        ...PROBLEM_SCHEMAS,
        ...OPERATIONS_SCHEMAS,
      },
      responses: {
        UnknownPath: problemResponse(['not_found'], {
          instance: '/api/v1/nothing',
          texts: { not_found: { detail: 'There is nothing at /api/v1/nothing.' } },
        }),
        MethodNotAllowed: problemResponse(['method_not_allowed'], { instance: '/api/v1/cost-import' }),
      },
    },
  };
}
