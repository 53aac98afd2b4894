import { at } from '../linalg/dot.js';
import type { CarryOver } from './grid.js';

/** Weeks before the window that count. */
const BURN_IN = 26;
const FIRST_WEEKS = 4;
/** Lags after which nothing is left of a peaked effect. */
const PEAKED_LAGS = 9;

/** What had been spent before the window. */
export interface SpendBefore {
  /** Oldest first; may be empty. */
  readonly weeks: Float64Array;
  /** Without weeks: the mean spend of a steady state that the window starts in. */
  readonly steady: number;
}

/**
 * The start of the carry-over: up to 26 weeks of known spend, else the steady state of the mean of weeks 1 to 4, or nothing if
 * the first week has no spend.
 */
export function spendBefore(spend: Float64Array, before: readonly number[]): SpendBefore {
  if (before.length > 0) return { weeks: Float64Array.from(before.slice(-BURN_IN)), steady: 0 };
  const first = spend.subarray(0, FIRST_WEEKS);
  const steady = at(spend, 0) > 0 ? first.reduce((sum, week) => sum + week, 0) / first.length : 0;
  return { weeks: new Float64Array(), steady };
}

/**
 * Adstock A_t = (1 − α)·s_t with s_t = x_t + α·s_(t−1) (S. Broadbent, 1979); delayed: the same again over its own output; peaked:
 * the mean of the weeks before, weighted by α^((lag − peak)²) (Y. Jin et al., "Bayesian methods for media mix modeling with
 * carryover and shape effects", 2017).
 *
 * @param spend of each calendar week of the window
 */
export function adstock(spend: Float64Array, before: SpendBefore, carryOver: CarryOver): Float64Array {
  return carryOver.peak > 0 ? peaked(spend, before, carryOver) : recursive(spend, before, carryOver);
}

function recursive(spend: Float64Array, before: SpendBefore, { alpha, delayed }: CarryOver): Float64Array {
  const out = new Float64Array(spend.length);
  const start = before.steady / (1 - alpha);
  let first = start;
  let second = start;
  const step = (x: number): number => {
    first = x + alpha * first;
    const once = (1 - alpha) * first;
    if (!delayed) return once;
    second = once + alpha * second;
    return (1 - alpha) * second;
  };
  for (const x of before.weeks) step(x);
  for (let t = 0; t < spend.length; t += 1) out[t] = step(at(spend, t));
  return out;
}

function peaked(spend: Float64Array, before: SpendBefore, { alpha, peak }: CarryOver): Float64Array {
  const weights = Float64Array.from({ length: PEAKED_LAGS }, (_, lag) =>
    Math.exp((lag - peak) * (lag - peak) * Math.log(alpha)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const known = before.weeks.length;
  const spendAt = (t: number): number => {
    if (t >= 0) return at(spend, t);
    return known === 0 ? before.steady : (before.weeks[known + t] ?? 0);
  };
  return spend.map((_, t) => weights.reduce((sum, weight, lag) => sum + weight * spendAt(t - lag), 0) / total);
}
