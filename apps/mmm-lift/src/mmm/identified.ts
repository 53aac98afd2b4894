import { quantile } from '../linalg/quantile.js';
import { MOST_RHAT } from './convergence.js';

/** The posterior of a channel as far as it decides whether its effect is known. */
export interface Evidence {
  /** Shares, ascending. */
  readonly shares: Float64Array;
  /** Part of the draws with an effect. */
  readonly pEffect: number;
  readonly rhat: number;
  /** Likelihood weeks with spend. */
  readonly activeWeeks: number;
  /** sd/mean of the spend. */
  readonly variation: number;
  /** Names of channels that it cannot be told apart from. */
  readonly partners: readonly string[];
  /** Weeks in the likelihood. */
  readonly n: number;
}

const SURE = 0.95;
const WIDEST = 4;
const LEAST_ACTIVE = 8;
const LEAST_VARIATION = 0.05;
/** Weeks below which no effect is taken for known. */
export const LEAST_LONG_WINDOW = 26;

/** Why a channel's effect is not known; nothing when it is. */
export function doubts({ shares, pEffect, rhat, activeWeeks, variation, partners, n }: Evidence): string[] {
  const low = quantile(shares, 0.05);
  const high = quantile(shares, 0.95);
  return [
    ...(pEffect < SURE || !(low > 0) ? ['effect_uncertain'] : []),
    ...(!(low > 0) || high / low > WIDEST ? ['wide_interval'] : []),
    ...(rhat >= MOST_RHAT ? ['not_converged'] : []),
    ...(activeWeeks < LEAST_ACTIVE ? ['few_active_weeks'] : []),
    ...(variation < LEAST_VARIATION ? ['low_variation'] : []),
    ...partners.map((name) => `collinear_with:${name}`),
    ...(n < LEAST_LONG_WINDOW ? ['short_window'] : []),
  ];
}
