import { at } from '../linalg/dot.js';
import { type Scale, scaleOf } from './panel.js';

/**
 * Of the first step, against the largest slope; later ones shrink to nothing. At one size throughout, the weights of a good fit,
 * whose slopes all are small, swing about the optimum: 1 % more squares left on GeoLift's cities, and a mixture of .7 and .3
 * found as .78 and .22.
 */
const STEP = 0.5;

/**
 * Weights ≥ 0 of sum 1 by which the controls, each at the level of the treated series, follow its movements: exponentiated
 * gradient descent on the squares of the centred difference (J. Kivinen and M. K. Warmuth, 1997, for the simplex of synthetic
 * controls).
 *
 * @param donors rows of equal length, one for each control
 */
export function donorWeights(donors: Float64Array[], y: Float64Array, steps: number): Float64Array {
  const count = donors.length;
  const centred = donors.map(centre);
  const target = centre(y);
  const products = new Float64Array(count * count);
  const slopes = new Float64Array(count);
  const weights = new Float64Array(count).fill(1 / count);
  for (const [j, row] of centred.entries()) {
    for (const [k, other] of centred.entries())
      products[j * count + k] = k < j ? at(products, k * count + j) : inner(row, other);
    slopes[j] = inner(row, target);
  }
  const gradient = new Float64Array(count);
  for (let step = 0; step < steps; step += 1) {
    let largest = 0;
    for (let j = 0; j < count; j += 1) {
      let slope = -at(slopes, j);
      for (let k = 0; k < count; k += 1) slope += at(products, j * count + k) * at(weights, k);
      gradient[j] = slope;
      largest = Math.max(largest, Math.abs(slope));
    }
    if (largest === 0) break;
    const rate = (STEP * (1 - step / steps)) / largest;
    let sum = 0;
    for (let j = 0; j < count; j += 1) {
      const weight = at(weights, j) * Math.exp(-rate * at(gradient, j));
      weights[j] = weight;
      sum += weight;
    }
    for (let j = 0; j < count; j += 1) weights[j] = at(weights, j) / sum;
  }
  return weights;
}

/** A control lifted to the level of the treated series. */
export function atLevelOf(control: Float64Array, own: Scale, treated: Scale): Float64Array {
  return control.map((value) => (value / own.mean) * treated.mean);
}

function centre(series: Float64Array): Float64Array {
  const days = Int32Array.from(series.keys());
  const { mean } = scaleOf(series, days);
  return series.map((value) => value - mean);
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += at(a, i) * at(b, i);
  return sum;
}
