import { backwardSolve, forwardSolve } from '../linalg/cholesky.js';
import { at, dot } from '../linalg/dot.js';
import type { Piece } from './posterior.js';
import type { Structure } from './structure.js';

/** Days before the window, each predicted from all the others; in units of the outcome. */
export interface Backcast {
  mean: Float64Array;
  sd: Float64Array;
}

interface Moments {
  mean: number;
  variance: number;
}

/**
 * What each day before the window was expected to be without knowing it. With z = V⁻¹y and D = diag V⁻¹: mean_i = y_i − z_i/D_i
 * and variance scale/(n/2)/D_i (S. Sundararajan and S. S. Keerthi, 2001; Rasmussen and Williams, 2006, 5.4.2), mixed over the
 * pieces. A day without an outcome is predicted from the known ones.
 */
export function leaveOneOut(structure: Structure, pieces: Piece[]): Backcast {
  const { known, offset, preLength, scale } = structure;
  const rows = new Map(Array.from(known, (day, row) => [day, row]));
  const byPiece = pieces.map((piece) => withoutOne(structure, piece));
  const mean = new Float64Array(preLength);
  const sd = new Float64Array(preLength);
  for (let day = 0; day < preLength; day += 1) {
    const row = rows.get(day);
    const mixed = mix(
      pieces,
      pieces.map((piece, index) =>
        row === undefined ? missing(structure, piece, day) : (byPiece[index]?.[row] as Moments),
      ),
    );
    mean[day] = scale.mean + scale.sd * (mixed.mean + at(offset, day));
    sd[day] = scale.sd * Math.sqrt(mixed.variance);
  }
  return { mean, sd };
}

function withoutOne({ known, rest }: Structure, piece: Piece): Moments[] {
  const n = known.length;
  const { l, u } = piece;
  const z = backwardSolve(l, n, u);
  const precision = inverseDiagonal(l, n);
  return Array.from(rest, (value, row) => ({
    mean: value - at(z, row) / at(precision, row),
    variance: noise(piece, n) / at(precision, row),
  }));
}

function missing({ known }: Structure, piece: Piece, day: number): Moments {
  const n = known.length;
  const solved = forwardSolve(
    piece.l,
    n,
    Float64Array.from(known, (other) => piece.covariance(other, day)),
  );
  const rest = piece.covariance(day, day) + 1 - dot(solved, 0, solved, 0, n);
  return { mean: dot(solved, 0, piece.u, 0, n), variance: noise(piece, n) * Math.max(rest, 0) };
}

function noise({ scale }: Piece, n: number): number {
  return scale / (n / 2);
}

/** The diagonal of (L·Lᵀ)⁻¹: sums of squares of the columns of L⁻¹. */
function inverseDiagonal(l: Float64Array, n: number): Float64Array {
  const diagonal = new Float64Array(n);
  const column = new Float64Array(n);
  for (let start = 0; start < n; start += 1) {
    let sum = 0;
    for (let row = start; row < n; row += 1) {
      const own = row === start ? 1 : 0;
      const value = (own - dot(l, row * n + start, column, start, row - start)) / at(l, row * n + row);
      column[row] = value;
      sum += value * value;
    }
    diagonal[start] = sum;
  }
  return diagonal;
}

function mix(pieces: Piece[], parts: Moments[]): Moments {
  let mean = 0;
  for (const [index, part] of parts.entries()) mean += (pieces[index]?.weight ?? 0) * part.mean;
  let variance = 0;
  for (const [index, part] of parts.entries()) {
    const distance = part.mean - mean;
    variance += (pieces[index]?.weight ?? 0) * (part.variance + distance * distance);
  }
  return { mean, variance };
}
