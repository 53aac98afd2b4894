import { cholesky, forwardSolve, logDet } from '../linalg/cholesky.js';
import { at, dot } from '../linalg/dot.js';
import { covarianceOf, type Setting, settings } from './covariance.js';
import type { Structure } from './structure.js';

/** Of the variance σ²: inverse gamma. */
const PRIOR_SHAPE = 1;
const PRIOR_SCALE = 0.02;
/** Settings of at most this weight are dropped. */
const NEGLIGIBLE = 0.001;

/** One setting of the covariance with its posterior weight, ready to predict. */
export interface Piece {
  weight: number;
  covariance: (i: number, j: number) => number;
  /** Lower triangular, of the covariance of the known days, noise included. */
  l: Float64Array;
  /** L⁻¹ of the known values. */
  u: Float64Array;
  /** Posterior of σ²: inverse gamma. */
  shape: number;
  scale: number;
}

/**
 * The settings worth keeping, weighted by ln weight = −½ ln det V − (1 + n/2)·ln(.02 + Q/2), Q = yᵀV⁻¹y: the marginal
 * likelihood of a Gaussian process whose scale is integrated out (Rasmussen and Williams, Gaussian Processes, 2006, chapter 5).
 * Weights sum to 1.
 */
export function posteriorOf(structure: Structure): Piece[] {
  const { comparison, components, known } = structure;
  let best = Number.NEGATIVE_INFINITY;
  let candidates: { logWeight: number; piece: Piece }[] = [];
  for (const setting of settings(comparison, components.period, known.length)) {
    const candidate = fit(structure, setting);
    if (candidate.logWeight < best + Math.log(NEGLIGIBLE)) continue;
    candidates.push(candidate);
    if (candidate.logWeight <= best) continue;
    best = candidate.logWeight;
    // What cannot reach the limit any more is let go at once: a long pre-period makes a megabyte of each.
    candidates = candidates.filter(({ logWeight }) => logWeight >= best + Math.log(NEGLIGIBLE));
  }
  return normalised(candidates.map(({ logWeight, piece }) => ({ ...piece, weight: Math.exp(logWeight - best) })));
}

function fit({ components, known, rest }: Structure, setting: Setting): { logWeight: number; piece: Piece } {
  const n = known.length;
  const covariance = covarianceOf(components, setting);
  const v = new Float64Array(n * n);
  for (let row = 0; row < n; row += 1) {
    const i = known[row] ?? 0;
    for (let column = 0; column <= row; column += 1) v[row * n + column] = covariance(i, known[column] ?? 0);
    v[row * n + row] = at(v, row * n + row) + 1;
  }
  const l = cholesky(v, n, v);
  const u = forwardSolve(l, n, rest);
  const shape = PRIOR_SHAPE + n / 2;
  const scale = PRIOR_SCALE + dot(u, 0, u, 0, n) / 2;
  return {
    logWeight: -0.5 * logDet(l, n) - shape * Math.log(scale),
    piece: { weight: 0, covariance, l, u, shape, scale },
  };
}

function normalised(pieces: Piece[]): Piece[] {
  const sum = total(pieces);
  const kept = pieces.filter(({ weight }) => weight / sum > NEGLIGIBLE);
  const keptSum = total(kept);
  return kept.map((piece) => ({ ...piece, weight: piece.weight / keptSum }));
}

function total(pieces: Piece[]): number {
  return pieces.reduce((sum, { weight }) => sum + weight, 0);
}
