import type { LiftDay } from '#contracts/modeling/lift-test.js';
import { at } from '../linalg/dot.js';
import type { Analysis } from './analysis.js';
import { runningCosts } from './cost-columns.js';
import type { LiftInput } from './lift-input.js';
import { type Interval, widened } from './totals.js';

/** Half a 90 % interval in standard deviations. */
const HALF_BAND = 1.645;

/**
 * The daily series from the first day of the pre-period to the last of the window. Before the window the counterfactual is what
 * all the other days say of that day, so that the band shows the honest fit.
 *
 * @param y NaN: missing
 */
export function liftDays(input: LiftInput, y: Float64Array, analysis: Analysis): LiftDay[] {
  const { preLength } = input;
  const expected = input.days.map((_, day) => expectation(analysis, preLength, day));
  const lift = expected.map(({ mean }, day) => (Number.isNaN(y[day]) ? null : at(y, day) - mean));
  const costs = runningCosts(input.spend, lift.slice(preLength), input);
  return input.days.map((day, index) => {
    const { mean = 0, lo = 0, hi = 0 } = expected[index] ?? {};
    const missing = Number.isNaN(y[index]);
    const cost = costs[index - preLength];
    return {
      day,
      observed: missing ? null : at(y, index),
      counterfactual: mean,
      cf_lo: lo,
      cf_hi: hi,
      lift: lift[index] ?? null,
      organic: missing ? null : (input.organic?.y[index] ?? null),
      spend_window: cost?.spend_window ?? null,
      incremental_roas: cost?.incremental_roas ?? null,
      cpa: cost?.cpa ?? null,
    };
  });
}

function expectation(
  { backcast, forecast, calibration }: Analysis,
  preLength: number,
  day: number,
): Interval & { mean: number } {
  if (day < preLength) {
    const mean = at(backcast.mean, day);
    const half = HALF_BAND * at(backcast.sd, day);
    return { mean, lo: mean - half, hi: mean + half };
  }
  const mean = at(forecast.mean, day - preLength);
  const drawn = Float64Array.from(forecast.paths, (path) => at(path, day - preLength)).sort();
  return { mean, ...widened(drawn, mean, calibration.kappa) };
}
