import { LiftTestsController } from '../modeling/lift-tests.controller.js';
import { endpoint } from './endpoint.js';
import { headers } from './headers.openapi.js';
import { jsonBody, jsonContent } from './json-body.openapi.js';
import { SUCCEEDED_TEST, TEST_ID, TEST_WITH_REQUEST } from './modeling-examples.js';
import { MODELS_TAG, ONE, READS, REPEATED, WRITES } from './models.openapi.js';
import { UUID } from './object-schema.js';

const tag = MODELS_TAG.name;
const TEST = { id: { description: 'The `test_id`.', schema: UUID, example: TEST_ID } };
const TEST_BODY = jsonBody(
  'NewLiftTest',
  {
    places: {
      summary: 'Ads off in two regions, with a tail of a week',
      value: {
        name: 'Search off in the north',
        metric: 'conversions',
        channels: ['Google Ads'],
        spend: { amount: '8400', currency: 'EUR' },
        geo_level: 'region',
        treated: ['Hamburg', 'Bremen'],
        test_from: '2025-10-01',
        test_to: '2025-10-28',
        tail_days: 7,
      },
    },
    market: {
      summary: 'The whole market',
      value: {
        name: 'TV burst',
        metric: 'revenue',
        channels: ['TV'],
        control_metrics: ['goal:support_ticket'],
        test_from: '2026-03-02',
        test_to: '2026-03-29',
        pre_from: '2025-09-01',
      },
    },
  },
  {
    maxBytes: 1_048_576,
    wrong: { name: 'controls[0]', reason: 'is treated too' },
    keyed: true,
  },
);

/** Lift tests. */
export const LIFT_TEST_PATHS = [
  endpoint(LiftTestsController, 'request', {
    ...TEST_BODY,
    tag,
    summary: 'Have a lift test evaluated',
    description: `A test of places (\`geo_level\`, \`treated\`) or of the whole market, evaluated when its window, test and tail, is over. The time before the test is 90 days unless \`pre_from\` says otherwise, or twice the window where that is longer. What only the data can tell, such as a place that does not occur, ends as \`failed\`. ${REPEATED}`,
    responses: {
      202: {
        description: 'The test is queued, or scheduled until its window is over; `Location` tells of it.',
        headers: headers(['Location']),
        content: jsonContent('LiftTestAccepted', {
          scheduled: { summary: 'Not over yet', value: { test_id: TEST_ID, status: 'scheduled' } },
          queued: { summary: 'Over', value: { test_id: TEST_ID, status: 'queued' } },
        }),
      },
    },
    problems: [...TEST_BODY.problems, 'test_overlap'],
    problemTexts: { ...TEST_BODY.problemTexts, ...WRITES },
  }),
  endpoint(LiftTestsController, 'list', {
    tag,
    summary: 'List the lift tests of an asset, newest first',
    responses: {
      200: {
        description: 'One page, without days.',
        headers: headers([]),
        content: jsonContent('LiftTestPage', {
          last_page: { summary: 'The last page', value: { items: [SUCCEEDED_TEST], next_cursor: null } },
          none: { summary: 'No test yet', value: { items: [], next_cursor: null } },
        }),
      },
    },
    problemTexts: READS,
  }),
  endpoint(LiftTestsController, 'test', {
    tag,
    summary: 'A lift test with its request',
    description:
      'Under the cost data restriction spend and what is reckoned from it is absent, in keeping with the file.',
    pathParameters: TEST,
    parameterTexts: {
      include: { description: 'More of it, with a comma between: daily series, diagnostics.', example: 'days' },
    },
    responses: {
      200: {
        description: '`Retry-After` is there while the test is queued or running.',
        headers: headers([], ['Retry-After']),
        content: jsonContent('LiftTest', { succeeded: { summary: 'With a day', value: TEST_WITH_REQUEST } }),
      },
    },
    problemTexts: ONE,
  }),
];
