import { cholesky, forwardSolve } from '../linalg/cholesky.js';
import { at, dot } from '../linalg/dot.js';
import type { Random } from '../random/random.js';
import type { Piece } from './posterior.js';
import type { Structure } from './structure.js';

/** The window as it would have been without the test, in units of the outcome. */
export interface Forecast {
  /** Per day of the window. */
  mean: Float64Array;
  /** Drawn courses, one row for each. */
  paths: Float64Array[];
}

/** The smallest variance, against rounding; beside it a share of the variance itself, for controls far from where they were. */
const JITTER = 1e-9;
const JITTER_SHARE = 1e-12;

/**
 * Predicts the window from the known days: conditional mean and joint draws of a Gaussian process, each piece in proportion to
 * its weight.
 *
 * @param draws about so many paths; rounding by piece may give a few more or fewer
 */
export function forecastWindow(structure: Structure, pieces: Piece[], draws: number, random: Random): Forecast {
  const { preLength, size } = structure;
  const days = Int32Array.from({ length: size - preLength }, (_, day) => preLength + day);
  const mean = new Float64Array(days.length);
  const paths: Float64Array[] = [];
  for (const piece of pieces) {
    const { expected, joint } = predict(structure, piece, days);
    for (let day = 0; day < days.length; day += 1) mean[day] = at(mean, day) + piece.weight * at(expected, day);
    const root = cholesky(joint, days.length, joint);
    for (let draw = Math.round(piece.weight * draws); draw > 0; draw -= 1) {
      paths.push(inUnits(structure, drawPath(piece, expected, root, random)));
    }
  }
  return { mean: inUnits(structure, mean), paths };
}

function predict(
  { known }: Structure,
  { covariance, l, u }: Piece,
  days: Int32Array,
): { expected: Float64Array; joint: Float64Array } {
  const n = known.length;
  const m = days.length;
  const towards: Float64Array[] = [];
  const expected = new Float64Array(m);
  const joint = new Float64Array(m * m);
  for (let a = 0; a < m; a += 1) {
    const day = days[a] ?? 0;
    const solved = forwardSolve(
      l,
      n,
      Float64Array.from(known, (other) => covariance(other, day)),
    );
    towards.push(solved);
    expected[a] = dot(solved, 0, u, 0, n);
    for (let b = 0; b <= a; b += 1) {
      joint[a * m + b] = covariance(day, days[b] ?? 0) - dot(solved, 0, towards[b] as Float64Array, 0, n);
    }
    joint[a * m + a] = at(joint, a * m + a) + 1 + JITTER + JITTER_SHARE * covariance(day, day);
  }
  return { expected, joint };
}

function drawPath({ shape, scale }: Piece, expected: Float64Array, root: Float64Array, random: Random): Float64Array {
  const m = expected.length;
  const sigma = Math.sqrt(scale / random.gamma(shape));
  const normals = new Float64Array(m);
  for (let day = 0; day < m; day += 1) normals[day] = random.normal();
  return expected.map((value, day) => value + sigma * dot(root, day * m, normals, 0, day + 1));
}

/** Undoes offset and standardisation. */
function inUnits({ offset, preLength, scale }: Structure, path: Float64Array): Float64Array {
  return path.map((value, day) => scale.mean + scale.sd * (value + at(offset, preLength + day)));
}
