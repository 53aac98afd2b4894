import type { OpenAPIV3_1 } from 'openapi-types';
import { ModelingSettingsController } from '../modeling/modeling-settings.controller.js';
import { endpoint } from './endpoint.js';
import { headers } from './headers.openapi.js';
import { jsonBody, jsonContent } from './json-body.openapi.js';
import { MODELS_TAG, READS, WRITES } from './models.openapi.js';

const tag = MODELS_TAG.name;
const SETTINGS_BODY = jsonBody(
  'NewModelingSettings',
  {
    both: {
      summary: 'Two targets, and what a conversion is worth',
      value: { targets: ['conversions', 'goal:signup'], conversion_value: '42.50' },
    },
    defaults: { summary: 'Back to the default', value: { targets: null, conversion_value: null } },
  },
  { maxBytes: 16_384, wrong: { name: 'conversion_value', reason: 'must not be negative' } },
);
const SETTINGS: OpenAPIV3_1.ResponseObject = {
  description: 'The settings in force.',
  headers: headers([]),
  content: jsonContent('ModelingSettings', {
    given: { summary: 'As set', value: { targets: ['conversions', 'goal:signup'], conversion_value: '42.50' } },
    defaults: { summary: 'The default', value: { targets: ['conversions', 'revenue'], conversion_value: null } },
  }),
};

/** What an asset decides about its models. */
export const MODELING_SETTINGS_PATHS = [
  endpoint(ModelingSettingsController, 'settings', {
    tag,
    summary: 'What is modelled by itself, and what a conversion is worth',
    responses: { 200: SETTINGS },
    problemTexts: READS,
  }),
  endpoint(ModelingSettingsController, 'replace', {
    ...SETTINGS_BODY,
    tag,
    summary: 'Replace these settings',
    description:
      'They hold for runs that begin later. Without `conversion_value` the returns of models and tests of counts are empty.',
    responses: { 200: SETTINGS },
    problemTexts: { ...SETTINGS_BODY.problemTexts, ...WRITES },
  }),
];
