import type { About } from '#contracts/modeling/about.js';
import {
  GEO_LEVELS,
  LIFT_METHODS,
  type LiftDay,
  type LiftNumbers,
  type LiftRequest,
  type LiftTest,
  type LiftTestItem,
} from '#contracts/modeling/lift-test.js';
import { LIFT_STATUSES } from '#contracts/modeling/run-state.js';
import type { SubmittedTest } from '../modeling/lift-tests.js';
import { MOST_CHANNELS, MOST_CONTROL_METRICS, MOST_PLACES } from '../modeling/lift-request.js';
import {
  DAY,
  DAY_OR_NULL,
  HOLDS_COST,
  LIST_OF_TEXT,
  NUMBER,
  numberOrNull,
  SEED,
  TARGET,
  TEXT,
  TEXT_OR_NULL,
  TIER_OR_NULL,
  TIME_OR_NULL,
} from './modeling-values.schemas.js';
import { objectOf, orNull, pageSchema, schemaRef, TIMESTAMP, UUID, type Schema } from './object-schema.js';

const NAME: Schema = { type: 'string', minLength: 1, maxLength: 256 };
const COUNT_OR_NULL: Schema = { type: ['integer', 'null'], minimum: 0 };
const LIST_OR_NULL = { type: ['array', 'null'], items: TEXT } as Schema;
const ORGANIC =
  'The same analysis of the conversions that last touch gives to unpaid channels. Below zero: ads took some of what came by itself; `lift` is net of it.';

const COST_OF_TEST = [
  'spend_window',
  'incremental_roas',
  'incremental_roas_lo',
  'incremental_roas_hi',
  'cpa',
] as const satisfies (keyof LiftTestItem)[];

const HEAD: { [K in keyof LiftTestItem]: Schema } = {
  test_id: UUID,
  name: NAME,
  metric: TARGET,
  channels: LIST_OF_TEXT,
  method: {
    type: ['string', 'null'],
    enum: [...LIFT_METHODS, null],
    description:
      'Where the counterfactual comes from: 8 or more controls weighted, 1 to 7 controls, or the past of the treated places alone.',
  },
  status: {
    type: 'string',
    enum: [...LIFT_STATUSES],
    description: '`scheduled` until the test and its tail are over, `failed` without numbers: `error` says why.',
  },
  pre_from: { ...DAY_OR_NULL, description: 'First day of the time before the test that it is compared with.' },
  pre_to: DAY_OR_NULL,
  test_from: DAY_OR_NULL,
  test_to: { ...DAY_OR_NULL, description: 'Without the tail.' },
  n_days: { ...COUNT_OR_NULL, description: 'Of test and tail, as are the totals.' },
  confidence_level: { type: ['number', 'null'], description: 'Probability between `_lo` and `_hi`: 0.9.' },
  observed_total: numberOrNull('What happened.'),
  counterfactual_total: numberOrNull('What would have happened without the ads: an estimate.'),
  lift_total: numberOrNull('Their difference.'),
  lift_lo: numberOrNull('90 % interval, widened by what tests of places without ads show (`calibration_factor`).'),
  lift_hi: numberOrNull('Its other end.'),
  lift_pct: numberOrNull('In percent of the counterfactual.'),
  lift_pct_lo: numberOrNull('In percent.'),
  lift_pct_hi: numberOrNull('In percent.'),
  p_value: numberOrNull('Two-sided; below 0.10 just when the interval excludes 0.'),
  currency: { ...TEXT_OR_NULL, description: 'Of all amounts of the test.' },
  trust_tier: TIER_OR_NULL,
  treated: LIST_OR_NULL,
  n_controls: COUNT_OR_NULL,
  tail_days: COUNT_OR_NULL,
  calibration_factor: numberOrNull('By which the interval was widened; 1 when the placebo tests fit.'),
  mde_pct: numberOrNull('The smallest lift that such a test finds in four of five cases, in percent.'),
  organic_shift: numberOrNull(ORGANIC),
  organic_shift_lo: numberOrNull('5 % quantile.'),
  organic_shift_hi: numberOrNull('95 % quantile.'),
  warnings: LIST_OR_NULL,
  seed: { ...SEED, type: ['integer', 'null'] },
  model_version: { ...TEXT_OR_NULL, description: 'Of the program that made the numbers.' },
  spend_window: numberOrNull(`Of the tested channels in test and tail. ${HOLDS_COST}`),
  incremental_roas: numberOrNull(`Lift per unit of spend; of counts by the conversion value. ${HOLDS_COST}`),
  incremental_roas_lo: numberOrNull('5 % quantile.'),
  incremental_roas_hi: numberOrNull('95 % quantile.'),
  cpa: numberOrNull(`Spend per incremental conversion. ${HOLDS_COST}`),
  generated: { ...TIME_OR_NULL, description: 'When the numbers were made.' },
  created_at: TIMESTAMP,
  started_at: TIME_OR_NULL,
  finished_at: TIME_OR_NULL,
  requested_by: { ...TEXT_OR_NULL, description: 'Name of the principal.' },
  error_code: { ...TEXT_OR_NULL, description: 'Why there are no numbers.' },
  error: orNull('RunError'),
};

const SPEND: Schema = {
  type: 'object',
  required: ['amount', 'currency'],
  additionalProperties: false,
  description: `What was spent, spread evenly over the test. Without it: the cost rows of the channels, where the test is of the whole market or names campaigns. ${HOLDS_COST}`,
  properties: {
    amount: {
      oneOf: [
        { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,6})?$' },
        { type: 'number', minimum: 0 },
      ],
    },
    currency: { type: 'string', pattern: '^[A-Za-z]{3}$' },
  },
};

const places = (description: string): Schema => ({ type: 'array', items: TEXT, maxItems: MOST_PLACES, description });

const REQUEST: { [K in keyof LiftRequest]: Schema } = {
  name: NAME,
  metric: TARGET,
  channels: { type: 'array', items: NAME, minItems: 1, maxItems: MOST_CHANNELS, description: 'What is tested.' },
  campaigns: { type: 'array', items: NAME, maxItems: MOST_PLACES, description: 'Only the spend of these counts.' },
  spend: { oneOf: [SPEND, { type: 'null' }] },
  geo_level: {
    type: ['string', 'null'],
    enum: [...GEO_LEVELS, null],
    description: 'Null: the whole market is tested.',
  },
  treated: places(
    'Places of the level where the ads ran, as events name them. A name that occurs in two regions is written `country/region/city`.',
  ),
  controls: places('Places to compare with. Empty: the 100 largest of the level that are not treated by a test.'),
  control_metrics: {
    type: 'array',
    items: TARGET,
    maxItems: MOST_CONTROL_METRICS,
    description: 'What a test of the whole market is compared with.',
  },
  test_from: { ...DAY, description: 'First day of the test, in the time zone of the asset.' },
  test_to: { ...DAY, description: 'Last day, 7 to 120 days in all.' },
  tail_days: { type: 'integer', minimum: 0, maximum: 60, description: 'Days behind it that still count.', default: 0 },
  pre_from: {
    ...DAY,
    description:
      'First day of the time before: at least 28 days and twice the test with its tail, at most 400. Absent: 90 days, or as many as that asks for.',
  },
  seed: { ...SEED, default: 1 },
};

const OPTIONAL = [
  'campaigns',
  'spend',
  'geo_level',
  'treated',
  'controls',
  'control_metrics',
  'tail_days',
  'pre_from',
  'seed',
] as const satisfies (keyof LiftRequest)[];

export const LIFT_TEST_SCHEMAS: Record<string, Schema> = {
  LiftTestItem: objectOf<LiftTestItem>(HEAD, {
    optional: [...COST_OF_TEST],
    description: 'Null where a test has no numbers.',
  }),
  LiftTestPage: pageSchema('LiftTestItem'),
  LiftTest: objectOf<LiftTest & { about: About }>(
    {
      ...HEAD,
      request: objectOf<LiftRequest>(REQUEST, {
        optional: ['spend'],
        description: 'As it was asked for, with its defaults.',
      }),
      days: {
        type: 'array',
        description: 'With `include=days`: from the first day of the time before to the last of the tail.',
        items: objectOf<LiftDay>(
          {
            day: DAY,
            observed: numberOrNull('Null on a day without any event.'),
            counterfactual: NUMBER,
            cf_lo: NUMBER,
            cf_hi: NUMBER,
            lift: numberOrNull('Before the test: how far a prediction from the other days is off.'),
            organic: numberOrNull('What last touch gives to unpaid channels; not what would have come without ads.'),
            spend_window: numberOrNull(`Running from the first day of the test. ${HOLDS_COST}`),
            incremental_roas: numberOrNull(`Running. ${HOLDS_COST}`),
            cpa: numberOrNull(`Running. ${HOLDS_COST}`),
          },
          { optional: ['spend_window', 'incremental_roas', 'cpa'] },
        ),
      },
      diagnostics: schemaRef('LiftDiagnostics'),
      about: schemaRef('About'),
    },
    { optional: [...COST_OF_TEST, 'days', 'diagnostics'] },
  ),
  LiftDiagnostics: objectOf<LiftNumbers['diagnostics']>({
    weights: {
      type: 'array',
      description: 'Of the controls; they add up to 1.',
      items: objectOf<LiftNumbers['diagnostics']['weights'][number]>({ control: TEXT, weight: NUMBER }),
    },
    dropped_controls: {
      type: 'array',
      items: objectOf<LiftNumbers['diagnostics']['dropped_controls'][number]>({ control: TEXT, reason: TEXT }),
    },
    placebo_z: { type: 'array', items: NUMBER, description: 'Of tests where nothing was tested.' },
    missing_days: { type: 'array', items: DAY, description: 'Without any event.' },
    fit_error_pct: { ...NUMBER, description: 'Of the days before the test, in percent of their mean.' },
  }),
  NewLiftTest: {
    ...objectOf<LiftRequest>(
      Object.fromEntries(
        Object.entries(REQUEST).map(([name, schema]) => [
          name,
          OPTIONAL.some((optional) => optional === name) ? orAbsent(schema) : schema,
        ]),
      ) as typeof REQUEST,
      { optional: [...OPTIONAL], description: 'Any other member is refused; null is an absent member.' },
    ),
  },
  LiftTestAccepted: objectOf<SubmittedTest>({
    test_id: UUID,
    status: {
      type: 'string',
      enum: ['scheduled', 'queued'],
      description: '`scheduled`: the test or its tail is not over.',
    },
  }),
};

/** Null is allowed too. */
function orAbsent(schema: Schema): Schema {
  return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : schema;
}
