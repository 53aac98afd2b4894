import { RunFailure } from '#contracts/modeling/run-state.js';
import type { MixInput } from './mix-input.js';

/** Weeks with both spend and outcome below which nothing can be said. */
export const LEAST_WEEKS = 12;
/** Part of the mean that a week may lie below zero: refunds of a slow week. */
const NEGATIVE_SHARE = 0.05;
/** Part of the largest value that a constant may vary by, from summing decimals. */
const ROUNDING = 1e-9;

/** Whether all values are the same, but for rounding. */
export function isConstant(values: ArrayLike<number>): boolean {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return values.length === 0 || high - low <= ROUNDING * Math.max(Math.abs(low), Math.abs(high));
}

/**
 * Refuses what cannot be fitted.
 *
 * @returns whether weeks are slightly negative
 * @throws RunFailure no_cost; not_enough_weeks {have, need}; target_constant; target_negative
 */
export function checkInput({ y, channels }: MixInput): { negativeWeeks: boolean } {
  const spent = y.map((_, t) => channels.some(({ spend }) => (spend[t] ?? 0) > 0));
  if (!spent.includes(true)) throw new RunFailure('no_cost');
  // Weeks without spend between others count: a pause is information.
  const common = y.slice(spent.indexOf(true), spent.lastIndexOf(true) + 1);
  const have = common.filter((value) => value !== null).length;
  if (have < LEAST_WEEKS) throw new RunFailure('not_enough_weeks', { have, need: LEAST_WEEKS });
  const known = y.filter((value) => value !== null);
  if (isConstant(known)) throw new RunFailure('target_constant');
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const lowest = Math.min(...known);
  if (mean <= 0 || lowest < -NEGATIVE_SHARE * mean) throw new RunFailure('target_negative');
  return { negativeWeeks: lowest < 0 };
}
