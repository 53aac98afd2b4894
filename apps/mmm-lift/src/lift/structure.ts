import { at } from '../linalg/dot.js';
import { type Comparison, type Components, productsOf } from './covariance.js';
import { atLevelOf, donorWeights } from './donor-weights.js';
import { knownDays, type Panel, type Scale, scaleOf, standardise } from './panel.js';

/** Controls from which a synthetic series is woven; with fewer they are regressors. */
export const DONORS_FROM = 8;

/** A panel in units of the treated series' pre-period, with what it is compared to. */
export interface Structure {
  comparison: Comparison;
  preLength: number;
  size: number;
  /** Days before the window with an outcome. */
  known: Int32Array;
  scale: Scale;
  /** Subtracted from the standardised series before the fit and added back afterwards. */
  offset: Float64Array;
  /** The standardised series without the offset, on the known days. */
  rest: Float64Array;
  components: Components;
  /** Donor weights in the order of the controls; null unless a synthetic series is woven. */
  weights: Float64Array | null;
}

export function comparisonFor(controls: number): Comparison {
  return controls >= DONORS_FROM ? 'donors' : controls > 0 ? 'regression' : 'history';
}

/**
 * @param comparison of a placebo: that of the test itself, also where it has one control less
 * @param steps of the search for donor weights
 */
export function structureOf(panel: Panel, comparison: Comparison, steps: number): Structure {
  const { y, controls, preLength, period } = panel;
  const size = y.length;
  const known = knownDays(panel);
  const scale = scaleOf(y, known);
  const scales = controls.map((control) => scaleOf(control, known));
  const standard = controls.map((control, index) => standardise(control, scales[index] as Scale));
  const weights = comparison === 'donors' ? donorsOf(panel, known, scale, scales, steps) : null;
  const offset = weights === null ? new Float64Array(size) : synthetic(controls, scales, weights, scale);
  const c = weights === null ? (comparison === 'regression' ? commonSeries(standard, known) : null) : offset;
  const standardY = standardise(y, scale);
  const rest = Float64Array.from(known, (day) => at(standardY, day) - at(offset, day));
  const components = { c, products: productsOf(standard, size), size, period };
  return { comparison, preLength, size, known, scale, offset, rest, components, weights };
}

function donorsOf(
  { y, controls }: Panel,
  known: Int32Array,
  scale: Scale,
  scales: Scale[],
  steps: number,
): Float64Array {
  const pick = (series: Float64Array): Float64Array => Float64Array.from(known, (day) => at(series, day));
  const donors = controls.map((control, index) => pick(atLevelOf(control, scales[index] as Scale, scale)));
  return donorWeights(donors, pick(y), steps);
}

/** The weighted controls at the level of y, in its units. */
function synthetic(controls: Float64Array[], scales: Scale[], weights: Float64Array, scale: Scale): Float64Array {
  const sum = new Float64Array(controls[0]?.length ?? 0);
  for (const [index, control] of controls.entries()) {
    const level = atLevelOf(control, scales[index] as Scale, scale);
    const weight = at(weights, index);
    for (let day = 0; day < sum.length; day += 1) sum[day] = at(sum, day) + weight * at(level, day);
  }
  return standardise(sum, scale);
}

/** The mean of the standardised controls with spread 1 before the window; null where they cancel out. */
function commonSeries(standard: Float64Array[], known: Int32Array): Float64Array | null {
  const mean = new Float64Array(standard[0]?.length ?? 0);
  for (const x of standard)
    for (let day = 0; day < mean.length; day += 1) mean[day] = at(mean, day) + at(x, day) / standard.length;
  const { sd } = scaleOf(mean, known);
  return sd > 1e-9 ? mean.map((value) => value / sd) : null;
}
