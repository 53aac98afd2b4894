import { addScaled, at } from '../linalg/dot.js';
import { Baseline } from './baseline.js';
import type { Draws } from './draws.js';
import { NO_POINT } from './effect.js';
import { RHOS } from './level.js';
import { meanOf, type Problem } from './problem.js';

/** The target week by week, in units of its mean; one value for each calendar week. */
export interface FittedWeeks {
  readonly baseline: Float64Array;
  /** By channel. */
  readonly contributions: readonly Float64Array[];
  readonly fitted: Float64Array;
  /** In sample: 1 − Σ(y − fitted)²/Σ(y − ȳ)², and the mean of |y − fitted|/y over weeks with y > 0. */
  readonly r2: number;
  readonly mape: number | null;
}

/** Parts of the draws in which the level moves at each speed. */
export function levelWeights({ rho }: Draws): number[] {
  return RHOS.map((_, index) => rho.reduce((sum, drawn) => sum + (drawn === index ? 1 : 0), 0) / rho.length);
}

/**
 * The mean decomposition: contributions mean(q·h), and the smoothed baseline Σ ω·(r̄ − V⁻¹r̄) over the speeds of the level, in
 * weeks outside the likelihood k*ᵀV⁻¹r̄. The baseline is then moved by the mean error, about a millionth, so that weeks add up
 * to the target as the totals do.
 */
export function fittedWeeks(problem: Problem, draws: Draws): FittedWeeks {
  const { channels, weeks, likelihood, y } = problem;
  const length = weeks.length;
  const contributions = channels.map(() => new Float64Array(length));
  const baseline = new Float64Array(length);
  levelWeights(draws).forEach((weight, rho) => {
    if (weight === 0) return;
    const media = channels.map((channel, c) => meanProfile(channel.h, length, draws, c, rho));
    media.forEach((values, c) => {
      addScaled(contributions[c] ?? baseline, weight, values, 0, length);
    });
    const rest = Float64Array.from(likelihood, (t, i) =>
      media.reduce((left, values) => left - at(values, t), at(y, i)),
    );
    const process = new Baseline(problem.columns, RHOS[rho] ?? 0, likelihood);
    const solved = process.solve(rest);
    for (let t = 0; t < length; t += 1) {
      const smoothed = process.covariances(t).reduce((sum, covariance, i) => sum + covariance * at(solved, i), 0);
      baseline[t] = at(baseline, t) + weight * smoothed;
    }
  });
  const sum = (t: number): number => contributions.reduce((total, values) => total + at(values, t), at(baseline, t));
  const shift = meanOf(Float64Array.from(likelihood, (t, i) => at(y, i) - sum(t)));
  for (let t = 0; t < length; t += 1) baseline[t] = at(baseline, t) + shift;
  const fitted = baseline.map((_, t) => sum(t));
  return { baseline, contributions, fitted, ...quality(problem, fitted) };
}

/** Mean of q·h over the draws at one speed of the level. */
function meanProfile(h: Float64Array, length: number, draws: Draws, channel: number, rho: number): Float64Array {
  const weights = new Float64Array(NO_POINT);
  let count = 0;
  for (let draw = 0; draw < draws.rho.length; draw += 1) {
    if (draws.rho[draw] !== rho) continue;
    count += 1;
    const place = draw * draws.channels + channel;
    const point = draws.point[place] ?? NO_POINT;
    if (point !== NO_POINT) weights[point] = at(weights, point) + at(draws.share, place);
  }
  const mean = new Float64Array(length);
  weights.forEach((weight, point) => {
    if (weight > 0) addScaled(mean, weight / count, h.subarray(point * length, (point + 1) * length), 0, length);
  });
  return mean;
}

function quality({ y, likelihood }: Problem, fitted: Float64Array): { r2: number; mape: number | null } {
  const mean = meanOf(y);
  let errors = 0;
  let squares = 0;
  const relative: number[] = [];
  likelihood.forEach((t, i) => {
    const value = at(y, i);
    const error = value - at(fitted, t);
    errors += error * error;
    squares += (value - mean) * (value - mean);
    if (value > 0) relative.push(Math.abs(error) / value);
  });
  const mape = relative.length === 0 ? null : relative.reduce((sum, error) => sum + error, 0) / relative.length;
  return { r2: 1 - errors / squares, mape };
}
