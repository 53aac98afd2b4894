import { at } from '../linalg/dot.js';
import { quantile } from '../linalg/quantile.js';
import type { Forecast } from './forecast.js';
import { daysWithValue, type Panel } from './panel.js';

/** Half of what a 90 % interval leaves out. */
const TAIL = 0.05;
/** Standard errors between 0 and a lift that is found with 80 % power by a two-sided test at 10 %: 1.645 + .842. */
const DETECTABLE = 2.49;

/** The sums over the days of the window that have an outcome, and their draws. */
export interface Totals {
  observed: number;
  counterfactual: number;
  lift: number;
  /** Of the lift, ascending. */
  drawn: Float64Array;
  /** Of the counterfactual. */
  drawnCounterfactual: Float64Array;
  /** Of the drawn lifts. */
  sd: number;
}

export interface Interval {
  lo: number;
  hi: number;
}

export function totalsOf({ y, preLength }: Panel, forecast: Forecast): Totals {
  const days = daysWithValue(y, preLength, y.length).map((day) => day - preLength);
  const sum = (series: Float64Array): number => days.reduce((total, day) => total + at(series, day), 0);
  const observed = sum(y.subarray(preLength));
  const counterfactual = sum(forecast.mean);
  const drawnCounterfactual = Float64Array.from(forecast.paths, sum);
  const drawn = drawnCounterfactual.map((path) => observed - path);
  return {
    observed,
    counterfactual,
    lift: observed - counterfactual,
    drawn: drawn.sort(),
    drawnCounterfactual,
    sd: sdOf(drawn),
  };
}

/** The 90 % interval of a sample around its point value, every distance from it multiplied by κ. */
export function widened(sorted: Float64Array, point: number, kappa: number): Interval {
  return {
    lo: point + kappa * (quantile(sorted, TAIL) - point),
    hi: point + kappa * (quantile(sorted, 1 - TAIL) - point),
  };
}

/**
 * min(1, 2·min(P(L ≤ 0), P(L ≥ 0))) over L = point + κ(draw − point). The probabilities are read off the same line through the
 * draws as the quantiles, so that the value is below .10 just when the interval excludes 0.
 */
export function pValue({ drawn, lift, sd }: Totals, kappa: number): number {
  if (sd === 0) return lift === 0 ? 1 : 0;
  const below = shareBelow(drawn, lift - lift / kappa);
  return Math.min(1, 2 * Math.min(below, 1 - below));
}

/** The smallest lift, in percent of the counterfactual, that a test like this finds; null without a positive counterfactual. */
export function detectablePercent({ sd, counterfactual }: Totals, kappa: number): number | null {
  return counterfactual > 0 ? (100 * DETECTABLE * kappa * sd) / counterfactual : null;
}

export interface RelativeLift {
  percent: number;
  /** Null where the draws know no bound: the counterfactual may have been nothing. */
  lo: number | null;
  hi: number | null;
}

/** The lift in percent of the counterfactual, draw by draw; null without a positive counterfactual. */
export function relativeLift(
  { observed, lift, counterfactual, drawnCounterfactual }: Totals,
  kappa: number,
): RelativeLift | null {
  if (!(counterfactual > 0)) return null;
  const percent = (100 * lift) / counterfactual;
  const drawn = drawnCounterfactual
    .map((path) => (path > 0 ? (100 * (observed - path)) / path : Number.POSITIVE_INFINITY))
    .sort();
  const { lo, hi } = widened(drawn, percent, kappa);
  return { percent, lo: Number.isFinite(lo) ? lo : null, hi: Number.isFinite(hi) ? hi : null };
}

/** The inverse of the quantile: the share of the way through the ascending values at which the line through them reaches x. */
function shareBelow(sorted: Float64Array, x: number): number {
  const last = sorted.length - 1;
  if (x <= at(sorted, 0)) return 0;
  if (x >= at(sorted, last)) return 1;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(sorted, middle) <= x) low = middle;
    else high = middle;
  }
  return (low + (x - at(sorted, low)) / (at(sorted, high) - at(sorted, low))) / last;
}

function sdOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
}
