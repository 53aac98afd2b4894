import { cholesky, logDet } from '../linalg/cholesky.js';
import { at } from '../linalg/dot.js';
import { baselineCovariance, type BaselineColumns } from './baseline-columns.js';

/** Speeds of the baseline's random walk, with their prior. */
export const RHOS = [0, 0.05, 0.15, 0.4, 0.8] as const;
export const RHO_PRIOR = [0.3, 0.25, 0.2, 0.15, 0.1] as const;

/** The covariance of weeks of the target at one speed of the baseline, decomposed. */
export interface Level {
  readonly rho: number;
  /** Lower triangular, n × n. */
  readonly l: Float64Array;
  readonly logDet: number;
}

/** V = baseline + I over the weeks of the likelihood, in units of the noise variance, as L·Lᵀ. */
export function levelAt(columns: BaselineColumns, rho: number, likelihood: Int32Array): Level {
  const n = likelihood.length;
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1)
      v[i * n + j] = baselineCovariance(columns, rho, week(likelihood, i), week(likelihood, j));
    v[i * n + i] = at(v, i * n + i) + 1;
  }
  const l = cholesky(v, n, v);
  return { rho, l, logDet: logDet(l, n) };
}

function week(likelihood: Int32Array, index: number): number {
  return likelihood[index] as number;
}
