import { forwardSolve } from '../linalg/cholesky.js';
import { at, dot } from '../linalg/dot.js';
import type { Piece } from './posterior.js';
import type { Structure } from './structure.js';

/** The sum of the counterfactual over days of the window, in units of the outcome. */
export interface WindowTotal {
  mean: number;
  sd: number;
}

/**
 * The moments that the totals of drawn paths tend to, without drawing: the sum over days is one more linear view of the process,
 * E σ² = scale/(shape − 1), and the pieces are mixed with the spread of their means. A placebo needs no more, at the cost of one
 * solution instead of one for each day.
 *
 * @param days of the window
 */
export function windowTotal({ known, offset, scale }: Structure, pieces: Piece[], days: Int32Array): WindowTotal {
  const parts = pieces.map((piece) => momentsOf(piece, known, days));
  let mean = 0;
  for (const [index, part] of parts.entries()) mean += (pieces[index]?.weight ?? 0) * part.mean;
  let variance = 0;
  for (const [index, part] of parts.entries()) {
    const distance = part.mean - mean;
    variance += (pieces[index]?.weight ?? 0) * (part.variance + distance * distance);
  }
  const offsets = days.reduce((sum, day) => sum + at(offset, day), 0);
  return { mean: scale.mean * days.length + scale.sd * (mean + offsets), sd: scale.sd * Math.sqrt(variance) };
}

function momentsOf(
  { covariance, l, u, shape, scale }: Piece,
  known: Int32Array,
  days: Int32Array,
): { mean: number; variance: number } {
  const n = known.length;
  const towards = Float64Array.from(known, (other) => days.reduce((sum, day) => sum + covariance(other, day), 0));
  const solved = forwardSolve(l, n, towards);
  let own = days.length;
  for (const day of days) for (const other of days) own += covariance(day, other);
  const conditional = Math.max(own - dot(solved, 0, solved, 0, n), 0);
  return { mean: dot(solved, 0, u, 0, n), variance: (conditional * scale) / (shape - 1) };
}
