import type { Random } from '../random/random.js';
import { sliceSample } from '../random/slice-sample.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { exp } = Math;

/** Priors of the hierarchy: M ~ N(ln .2, .8²), τ ~ half-normal(.8). */
export const LOG_MEAN = Math.log(0.2);
const MEAN_VARIANCE = 0.64;
const TWICE_TAU_VARIANCE = 1.28;
const LEAST_TAU = 0.05;
const TAU_STEPS = 20;
const LOWEST_LOG_TAU = -4;

/**
 * One update of ln s given the channel's share q, from the log density −x − q·e⁻ˣ − (x − centre)²/(2τ²).
 *
 * @param centre M + ln w_c
 */
export function updateLogScale(random: Random, logScale: number, share: number, centre: number, tau: number): number {
  const precision = 0.5 / (tau * tau);
  const logDensity = (x: number): number => -x - share * exp(-x) - precision * (x - centre) * (x - centre);
  return sliceSample(random, logScale, logDensity, 1);
}

/** M given the distances d = ln s − ln w of the channels that have an effect. */
export function drawMean(random: Random, distances: readonly number[], tau: number): number {
  const precision = distances.length / (tau * tau) + 1 / MEAN_VARIANCE;
  const sum = distances.reduce((total, distance) => total + distance, 0);
  const mean = (sum / (tau * tau) + LOG_MEAN / MEAN_VARIANCE) / precision;
  return mean + random.normal() / Math.sqrt(precision);
}

/** One update of τ, at least .05, from the log density of ln τ: −(N−1)·ln τ − Σ(d − M)²/(2τ²) − τ²/1.28. */
export function updateTau(random: Random, tau: number, distances: readonly number[], mean: number): number {
  const squares = distances.reduce((total, distance) => total + (distance - mean) * (distance - mean), 0);
  const logDensity = (x: number): number => {
    const square = exp(2 * x);
    return -(distances.length - 1) * x - squares / (2 * square) - square / TWICE_TAU_VARIANCE;
  };
  const limits = { steps: TAU_STEPS, lowest: LOWEST_LOG_TAU };
  return Math.max(exp(sliceSample(random, Math.log(tau), logDensity, 1, limits)), LEAST_TAU);
}
