import { LiftTestsController } from '../modeling/lift-tests.controller.js';
import { MixRunsController } from '../modeling/mix-runs.controller.js';
import { endpoint, type EndpointText } from './endpoint.js';
import { csv, file } from './file-endpoint.js';
import { RUN_ID, TEST_ID } from './modeling-examples.js';
import { MODELS_TAG, READS } from './models.openapi.js';
import { UUID } from './object-schema.js';

const tag = MODELS_TAG.name;

const MIX_CSV = `title,Marketing mix model
run_id,${RUN_ID}
target,revenue
trust_tier,medium
n_weeks,104
n_channels,1
generated,2026-01-05T08:00:12Z

channel,family,identified,contribution,contribution_share,roi,roi_lo,roi_hi,mroi,cpa
Google Ads,search,true,412000.0000,0.2061,3.4333,2.6686,4.1879,1.9021,22.4000
`;

const LIFT_CSV = `title,Lift test
test_id,${TEST_ID}
name,Search off in the north
metric,conversions

day,observed,counterfactual,cf_lo,cf_hi,lift,organic,spend_window,incremental_roas,cpa
2025-11-04,118.00,108.40,96.20,121.00,9.60,61.00,8400.00,1.96,25.49
`;

function texts(what: 'run' | 'test'): Pick<EndpointText, 'problems' | 'problemTexts'> {
  return {
    problems: ['invalid_state'],
    problemTexts: {
      ...READS,
      not_found: { detail: 'There is no such object.' },
      invalid_state: { detail: `The ${what} is running: it has no file.`, sometimes: ['Retry-After', 'Location'] },
    },
  };
}

const IGNORED = {
  from: { description: 'Ignored: the file is of its own days.', example: '2026-01-01' },
  to: { description: 'Ignored, too.', example: '2026-01-31' },
};

/** The files of a model run and of a lift test. */
export const MODELING_FILE_PATHS = [
  endpoint(MixRunsController, 'file', {
    ...file(
      {
        tag,
        summary: 'The table of a marketing mix model',
        description:
          '`mmm-<first 8 characters of the run_id>.csv`: lines of keys and values, an empty line, a row per channel, largest contribution first; with a byte-order mark. Four decimals, an unknown value is an empty cell. `roi_lo` and `roi_hi` are the ends of a 90 % credible interval. `X-Service-Date-Range` is the window of the model. Under the cost data restriction the columns roi, roi_lo, roi_hi, mroi and cpa are left out.',
        pathParameters: { id: { description: 'The `run_id`.', schema: UUID, example: RUN_ID } },
        ...texts('run'),
      },
      csv(MIX_CSV),
    ),
    parameterTexts: IGNORED,
  }),
  endpoint(LiftTestsController, 'file', {
    ...file(
      {
        tag,
        summary: 'The days of a lift test',
        description:
          '`lift-<first 8 characters of the test_id>.csv`: lines of keys and values, an empty line, a row per day from the first of the time before the test to the last of the tail. Two decimals. `cf_lo` and `cf_hi` are the ends of a 90 % interval; before the test `lift` is the error of a prediction from the other days. `X-Service-Date-Range` is all of these days. spend_window, incremental_roas and cpa are there when the spend is known, and never under the cost data restriction.',
        pathParameters: { id: { description: 'The `test_id`.', schema: UUID, example: TEST_ID } },
        ...texts('test'),
      },
      csv(LIFT_CSV),
    ),
    parameterTexts: IGNORED,
  }),
];
