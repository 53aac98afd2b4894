import type { LiftMethod, LiftNumbers } from '#contracts/modeling/lift-test.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { at } from '../linalg/dot.js';
import { MODEL_VERSION } from '../mmm/mix-input.js';
import { type Analysis, analyse } from './analysis.js';
import { costFigures, returnOn } from './cost-columns.js';
import type { Comparison } from './covariance.js';
import { liftDays } from './lift-days.js';
import type { LiftInput } from './lift-input.js';
import { organicShift } from './organic-shift.js';
import { daysWithValue } from './panel.js';
import { trustTier } from './tier.js';
import { detectablePercent, pValue, relativeLift, widened } from './totals.js';

const METHODS: Record<Comparison, LiftMethod> = {
  donors: 'synthetic_control',
  regression: 'control_regression',
  history: 'own_history',
};
const CONFIDENCE = 0.9;

/**
 * Judges a lift test: what the treated series would have been without it, the lift, and how far both can be trusted. A pure
 * function of its input; the order of the controls changes nothing.
 *
 * @throws RunFailure no_baseline: the series is constant, zero or unknown before the window
 */
export function evaluateLift(input: LiftInput): LiftNumbers {
  const { preLength, tailLength, days, seed } = input;
  const y = Float64Array.from(input.y, (value) => value ?? Number.NaN);
  const controls = input.controls.map(({ name, values }) => ({ name, values: Float64Array.from(values) }));
  const analysis = analyse({
    y,
    controls,
    preLength,
    period: input.period,
    treatedPlaces: input.treated.length,
    seed,
    purpose: 'lift',
  });
  if (analysis === undefined) throw new RunFailure('no_baseline');

  const { totals, calibration, comparison } = analysis;
  const { kappa, z } = calibration;
  const lift = widened(totals.drawn, totals.lift, kappa);
  const relative = relativeLift(totals, kappa);
  const spend = input.spend === null ? null : input.spend.reduce((sum, value) => sum + value, 0);
  const shift = organicShift(input);
  const missing = days.filter((_, day) => Number.isNaN(y[day]));
  const known = daysWithValue(y, 0, preLength).length;
  const judged = daysWithValue(y, preLength, y.length).length;
  const fitErrorPercent = fitError(analysis, y, preLength);
  const cannibalises = shift !== undefined && shift.hi < 0;

  return {
    method: METHODS[comparison],
    pre_from: days[0] ?? '',
    pre_to: days[preLength - 1] ?? '',
    test_from: days[preLength] ?? '',
    test_to: days[days.length - 1 - tailLength] ?? '',
    n_days: days.length - preLength,
    confidence_level: CONFIDENCE,
    observed_total: totals.observed,
    counterfactual_total: totals.counterfactual,
    lift_total: totals.lift,
    lift_lo: lift.lo,
    lift_hi: lift.hi,
    lift_pct: relative?.percent ?? null,
    lift_pct_lo: relative?.lo ?? null,
    lift_pct_hi: relative?.hi ?? null,
    p_value: pValue(totals, kappa),
    currency: input.currency,
    trust_tier: trustTier({
      controls: analysis.controls.length,
      kappa,
      fitErrorPercent,
      missing: 1 - known / preLength,
      judged,
    }),
    treated: input.treated,
    n_controls: analysis.controls.length,
    tail_days: tailLength,
    calibration_factor: kappa,
    mde_pct: detectablePercent(totals, kappa),
    organic_shift: shift?.total ?? null,
    organic_shift_lo: shift?.lo ?? null,
    organic_shift_hi: shift?.hi ?? null,
    warnings: cannibalises ? [...input.warnings, 'cannibalisation'] : input.warnings,
    seed,
    model_version: MODEL_VERSION,
    ...costFigures(spend, totals.lift, input),
    incremental_roas_lo: returnOn(spend, lift.lo, input),
    incremental_roas_hi: returnOn(spend, lift.hi, input),
    days: liftDays(input, y, analysis),
    diagnostics: {
      weights: analysis.weights,
      dropped_controls: [...input.droppedControls, ...analysis.dropped],
      placebo_z: z,
      missing_days: missing,
      fit_error_pct: fitErrorPercent,
    },
  };
}

/** Root mean square of the leave-one-out errors before the window, in percent of the mean there. */
function fitError({ backcast, scale }: Analysis, y: Float64Array, preLength: number): number {
  let squares = 0;
  let count = 0;
  for (let day = 0; day < preLength; day += 1) {
    const error = at(y, day) - at(backcast.mean, day);
    if (Number.isNaN(error)) continue;
    squares += error * error;
    count += 1;
  }
  const level = Math.max(Math.abs(scale.mean), Number.EPSILON * scale.sd);
  return (100 * Math.sqrt(squares / count)) / level;
}
