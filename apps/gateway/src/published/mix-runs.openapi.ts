import { MixRunsController } from '../modeling/mix-runs.controller.js';
import { endpoint } from './endpoint.js';
import { headers } from './headers.openapi.js';
import { jsonBody, jsonContent } from './json-body.openapi.js';
import { FAILED_RUN, QUEUED_RUN, RUN_ID, RUN_WITH_CHANNELS, SUCCEEDED_RUN } from './modeling-examples.js';
import { MODELS_TAG, ONE, READS, REPEATED, WRITES } from './models.openapi.js';
import { UUID } from './object-schema.js';

const tag = MODELS_TAG.name;
const RUN = { id: { description: 'The `run_id`.', schema: UUID, example: RUN_ID } };
const RUN_BODY = jsonBody(
  'NewMixRun',
  {
    all: { summary: 'All complete weeks', value: { target: 'revenue' } },
    range: {
      summary: 'A year, of signups',
      value: { target: 'goal:signup', from: '2025-01-06', to: '2026-01-04', seed: 7 },
    },
  },
  { maxBytes: 16_384, wrong: { name: 'target', reason: 'is missing' }, keyed: true },
);

/** Marketing mix models. */
export const MIX_RUN_PATHS = [
  endpoint(MixRunsController, 'request', {
    ...RUN_BODY,
    tag,
    summary: 'Fit a marketing mix model',
    description: `Weekly, Monday to Sunday: dates widen to whole weeks, and the current week is left out. Of all complete weeks unless a range is given, at most 260. Models are also fitted by themselves after cost imports and lift tests. What only the data can tell, such as too few weeks, ends as \`failed\`. ${REPEATED}`,
    responses: {
      202: {
        description: 'The run is queued; `Location` tells of it.',
        headers: headers(['Location']),
        content: jsonContent('MixRunAccepted', {
          queued: { summary: 'Queued', value: { run_id: RUN_ID, status: 'queued' } },
        }),
      },
    },
    problems: [...RUN_BODY.problems, 'range_too_large'],
    problemTexts: {
      ...RUN_BODY.problemTexts,
      ...WRITES,
      range_too_large: { detail: 'The range 2019-01-07..2026-01-04 has more than 260 weeks.' },
    },
  }),
  endpoint(MixRunsController, 'list', {
    tag,
    summary: 'List the model runs of an asset, newest first',
    responses: {
      200: {
        description: 'One page, without channels.',
        headers: headers([]),
        content: jsonContent('MixRunPage', {
          last_page: { summary: 'The last page', value: { items: [SUCCEEDED_RUN, FAILED_RUN], next_cursor: null } },
          none: { summary: 'No run yet', value: { items: [], next_cursor: null } },
        }),
      },
    },
    problemTexts: READS,
  }),
  endpoint(MixRunsController, 'run', {
    tag,
    summary: 'A model run with its channels',
    description:
      'Under the cost data restriction spend, returns, costs per conversion, `tests` and `curves` are absent, in keeping with the file.',
    pathParameters: RUN,
    parameterTexts: {
      include: {
        description: 'More of it, with commas between: weekly decomposition, response curves, diagnostics.',
        example: 'weeks,curves,diagnostics',
      },
    },
    responses: {
      200: {
        description: '`Retry-After` is there until the run has ended.',
        headers: headers([], ['Retry-After']),
        content: jsonContent('MixRun', {
          succeeded: { summary: 'Two channels and a week', value: RUN_WITH_CHANNELS },
          queued: { summary: 'Waiting', value: QUEUED_RUN },
        }),
      },
    },
    problemTexts: ONE,
  }),
];
