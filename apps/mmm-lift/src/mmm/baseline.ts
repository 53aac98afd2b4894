import { backwardSolve, forwardSolve } from '../linalg/cholesky.js';
import { at } from '../linalg/dot.js';
import { baselineCovariance, type BaselineColumns } from './baseline-columns.js';
import { levelAt } from './level.js';

/** The baseline as a Gaussian process, given what the media leave of the likelihood weeks, at one speed of its level. */
export class Baseline {
  private readonly l: Float64Array;

  constructor(
    private readonly columns: BaselineColumns,
    private readonly rho: number,
    private readonly likelihood: Int32Array,
  ) {
    this.l = levelAt(columns, rho, likelihood).l;
  }

  /** V⁻¹·b. */
  solve(b: Float64Array): Float64Array {
    const n = this.likelihood.length;
    return backwardSolve(this.l, n, forwardSolve(this.l, n, b));
  }

  /** k*: the covariance of a calendar week's baseline with each likelihood week. */
  covariances(week: number): Float64Array {
    return Float64Array.from(this.likelihood, (t) => baselineCovariance(this.columns, this.rho, week, t));
  }

  /** k** + 1 − k*ᵀV⁻¹k*: the variance of a new observation of a week outside the likelihood, in units of σ². */
  predictiveVariance(week: number): number {
    const n = this.likelihood.length;
    const whitened = forwardSolve(this.l, n, this.covariances(week));
    let known = 0;
    for (let i = 0; i < n; i += 1) known += at(whitened, i) * at(whitened, i);
    return baselineCovariance(this.columns, this.rho, week, week) + 1 - known;
  }
}
