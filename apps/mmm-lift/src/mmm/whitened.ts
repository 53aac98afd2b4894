import { forwardSolve } from '../linalg/cholesky.js';
import { at, dot } from '../linalg/dot.js';
import { GRID } from './grid.js';
import { levelAt, RHOS } from './level.js';
import type { Problem } from './problem.js';

/** Everything multiplied by L⁻¹ at one speed of the baseline: after it each fit is plain least squares. */
export interface Whitened {
  readonly logDet: number;
  readonly y: Float64Array;
  /** By channel: m = L⁻¹h, a row for each grid point. */
  readonly m: readonly Float64Array[];
  /** By channel and grid point: m·m. */
  readonly a: readonly Float64Array[];
}

/** One for each speed. */
export function whiten(problem: Problem): Whitened[] {
  const { columns, likelihood, y, channels, weeks } = problem;
  const n = likelihood.length;
  return RHOS.map((rho) => {
    const level = levelAt(columns, rho, likelihood);
    const m = channels.map(({ h }) => whitenRows(level.l, h, weeks.length, likelihood));
    const a = m.map((rows) => Float64Array.from(GRID, (_, g) => dot(rows, g * n, rows, g * n, n)));
    return { logDet: level.logDet, y: forwardSolve(level.l, n, y), m, a };
  });
}

function whitenRows(l: Float64Array, h: Float64Array, length: number, likelihood: Int32Array): Float64Array {
  const n = likelihood.length;
  const rows = new Float64Array(GRID.length * n);
  for (let g = 0; g < GRID.length; g += 1) {
    const row = rows.subarray(g * n, (g + 1) * n);
    for (let i = 0; i < n; i += 1) row[i] = at(h, g * length + (likelihood[i] as number));
    forwardSolve(l, n, row, row);
  }
  return rows;
}
