import { CHANNEL_FAMILIES } from '#contracts/channels/platforms.js';
import type { About } from '#contracts/modeling/about.js';
import {
  MIX_TRIGGERS,
  type MixChannel,
  type MixCurvePoint,
  type MixDiagnostics,
  type MixRun,
  type MixRunItem,
  type MixTest,
  type MixWeek,
} from '#contracts/modeling/mix-run.js';
import { RUN_STATUSES } from '#contracts/modeling/run-state.js';
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
  TIME_OR_NULL,
  TIER_OR_NULL,
} from './modeling-values.schemas.js';
import { COUNT, objectOf, orNull, pageSchema, schemaRef, TIMESTAMP, UUID, type Schema } from './object-schema.js';

const HEAD: { [K in keyof MixRunItem]: Schema } = {
  run_id: UUID,
  target: TARGET,
  status: {
    type: 'string',
    enum: [...RUN_STATUSES],
    description:
      '`succeeded`: there are numbers, of whatever tier. `failed`: there are none, `error` says why. `skipped`: an automatic run whose input was that of `same_as`.',
  },
  trigger: {
    type: 'string',
    enum: [...MIX_TRIGGERS],
    description: 'Asked for, or by itself after an import or a test.',
  },
  trust_tier: TIER_OR_NULL,
  n_weeks: { type: ['integer', 'null'], minimum: 1, description: 'Weeks that the model was fitted to.' },
  n_channels: { type: ['integer', 'null'], minimum: 0, description: 'Channels in the table.' },
  generated: { ...TIME_OR_NULL, description: 'When the numbers were made.' },
  r2: { ...NUMBER, type: ['number', 'null'], description: 'In sample, and flattering.' },
  mape: numberOrNull('Mean error of the weeks as a fraction, in sample, and flattering: look at `holdout_mape`.'),
  converged: { type: ['boolean', 'null'], description: 'Whether the chains of the sampler agree.' },
  warnings: { type: ['array', 'null'], items: TEXT, description: 'What to look at before trusting it.' },
  window_from: { ...DAY_OR_NULL, description: 'The Monday of the first week.' },
  window_to: { ...DAY_OR_NULL, description: 'The Sunday of the last.' },
  currency: { ...TEXT_OR_NULL, description: 'Of all amounts of the run.' },
  interval: { type: ['number', 'null'], description: 'Probability between `_lo` and `_hi`: 0.9.' },
  baseline_share: numberOrNull('Of the target, without any channel.'),
  holdout_mape: numberOrNull('Error of the last weeks as a fraction, predicted by a model that has not seen them.'),
  calibrated_channels: {
    type: ['array', 'null'],
    items: TEXT,
    description: 'Channels with a lift test in the model.',
  },
  seed: SEED,
  model_version: { ...TEXT_OR_NULL, description: 'Of the program that made the numbers.' },
  created_at: TIMESTAMP,
  started_at: TIME_OR_NULL,
  finished_at: TIME_OR_NULL,
  requested_by: { ...TEXT_OR_NULL, description: 'Name of the principal; null for automatic runs.' },
  same_as: { type: ['string', 'null'], format: 'uuid', description: 'Of a skipped run: the one with the same input.' },
  error_code: { ...TEXT_OR_NULL, description: 'Why there are no numbers.' },
  error: orNull('RunError'),
};

const COST_OF_CHANNEL: (keyof MixChannel)[] = ['spend', 'roi', 'roi_lo', 'roi_hi', 'mroi', 'mroi_lo', 'mroi_hi', 'cpa'];

export const MIX_RUN_SCHEMAS: Record<string, Schema> = {
  MixRunItem: objectOf<MixRunItem>(HEAD, { description: 'Null where a run has no numbers.' }),
  MixRunPage: pageSchema('MixRunItem'),
  MixChannel: objectOf<MixChannel>(
    {
      channel: { ...TEXT, description: 'The most frequent spelling.' },
      family: { type: 'string', enum: [...CHANNEL_FAMILIES] },
      identified: {
        type: 'boolean',
        description:
          'Whether the data tell its effect from chance, from the season and from other channels. False: take the interval seriously, not the point; `reasons` says why. True is no proof of cause: demand that drives both spend and sales is only ruled out by a lift test.',
      },
      contribution: numberOrNull('Posterior mean, in units of the target; with the baseline they add up to it.'),
      contribution_share: numberOrNull('The same as a fraction of the target.'),
      contribution_share_lo: numberOrNull('5 % quantile: 90 % credible interval, given model and data.'),
      contribution_share_hi: numberOrNull('95 % quantile.'),
      spend: { type: 'number', minimum: 0, description: `In the window. ${HOLDS_COST}` },
      roi: numberOrNull(`Return per unit of spend; of counts by the conversion value. ${HOLDS_COST}`),
      roi_lo: numberOrNull('5 % quantile.'),
      roi_hi: numberOrNull('95 % quantile.'),
      mroi: numberOrNull(`Return of the next unit of spend. ${HOLDS_COST}`),
      mroi_lo: numberOrNull('5 % quantile.'),
      mroi_hi: numberOrNull('95 % quantile.'),
      cpa: numberOrNull(`Spend per conversion that it brought. ${HOLDS_COST}`),
      reasons: {
        ...LIST_OF_TEXT,
        description:
          'Why it is not identified: `effect_uncertain`, `wide_interval`, `not_converged`, `few_active_weeks`, `low_variation`, `constant_spend`, `collinear_with:<name>`, `short_window`.',
      },
    },
    { optional: COST_OF_CHANNEL },
  ),
  MixRun: objectOf<MixRun & { about: About }>(
    {
      ...HEAD,
      channels: {
        type: 'array',
        items: schemaRef('MixChannel'),
        description: 'Largest contribution first, then by name.',
      },
      weeks: {
        type: 'array',
        description: 'With `include=weeks`.',
        items: objectOf<MixWeek>({
          week_end: { ...DAY, description: 'Its Sunday.' },
          observed: { type: ['number', 'null'], description: 'Null in a week without any event.' },
          baseline: NUMBER,
          fitted: { ...NUMBER, description: 'Baseline and contributions.' },
          contributions: { type: 'object', additionalProperties: NUMBER, description: 'By channel.' },
        }),
      },
      curves: {
        type: 'array',
        description: `With \`include=curves\`: what a channel would have brought at multiples of its spend. ${HOLDS_COST}`,
        items: objectOf<MixCurvePoint>({
          channel: TEXT,
          multiplier: { type: 'number', minimum: 0 },
          response: { ...NUMBER, description: 'In units of the target.' },
          lo: NUMBER,
          hi: NUMBER,
        }),
      },
      tests: {
        type: 'array',
        description: `With \`include=diagnostics\`: the lift tests that the model was calibrated by. ${HOLDS_COST}`,
        items: objectOf<MixTest>({
          test_id: { type: ['string', 'null'], format: 'uuid' },
          channel: TEXT,
          value: { ...NUMBER, description: 'Measured return per unit of tested spend, in units of the target.' },
          se: { type: 'number', minimum: 0 },
          predicted: { ...NUMBER, description: 'What the model said before it knew the test.' },
          z: { type: 'number', description: 'Their distance in standard errors.' },
        }),
      },
      diagnostics: schemaRef('MixDiagnostics'),
      about: schemaRef('About'),
    },
    { optional: ['weeks', 'curves', 'tests', 'diagnostics'] },
  ),
  MixDiagnostics: objectOf<MixDiagnostics>(
    {
      channels: {
        type: 'array',
        items: objectOf<MixDiagnostics['channels'][number]>({
          channel: TEXT,
          p_effect: { type: 'number', minimum: 0, maximum: 1, description: 'Share of draws with an effect.' },
          rhat: { type: 'number', description: 'Below 1.05 the chains agree.' },
          alpha_mean: { type: 'number', description: 'Carry-over from week to week.' },
          vif: { type: ['number', 'null'], description: 'Variance inflation factor; null: unbounded.' },
        }),
      },
      collinear_pairs: {
        type: 'array',
        description: "Channels that can't be told apart, with what they bring together.",
        items: objectOf<MixDiagnostics['collinear_pairs'][number]>({
          channels: { type: 'array', items: TEXT, minItems: 2, maxItems: 2 },
          share: NUMBER,
          share_lo: NUMBER,
          share_hi: NUMBER,
        }),
      },
      outlier_weeks: { type: 'array', items: DAY },
      missing_weeks: { type: 'array', items: DAY, description: 'Without any event.' },
      level: {
        type: 'array',
        description: 'Posterior weights of the speeds of the baseline.',
        items: objectOf<MixDiagnostics['level'][number]>({ rho: NUMBER, weight: NUMBER }),
      },
      holdout: {
        description: 'Null when there are too few weeks.',
        oneOf: [
          objectOf<NonNullable<MixDiagnostics['holdout']>>({
            weeks: COUNT,
            mape: { type: ['number', 'null'] },
            in_band: { type: 'number', minimum: 0, maximum: 1, description: 'Share of weeks inside the 90 % band.' },
          }),
          { type: 'null' },
        ],
      },
      draws: { ...COUNT, description: 'Kept, of all chains.' },
    },
    { description: 'What an analyst looks at before trusting a model.' },
  ),
  NewMixRun: {
    type: 'object',
    description: 'Any other member is refused; null is an absent member.',
    required: ['target'],
    properties: {
      target: TARGET,
      from: { ...DAY_OR_NULL, description: 'Widens to the Monday of its week. Absent: the first complete week.' },
      to: { ...DAY_OR_NULL, description: 'Widens to the Sunday of its week. Absent: the last complete week.' },
      seed: { ...SEED, type: ['integer', 'null'], default: 1 } as Schema,
    },
  },
  MixRunAccepted: objectOf<{ run_id: string; status: 'queued' }>({
    run_id: UUID,
    status: { type: 'string', enum: ['queued'] },
  }),
};
