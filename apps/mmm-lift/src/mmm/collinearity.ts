import { forwardSolve } from '../linalg/cholesky.js';
import { addScaled, at, dot } from '../linalg/dot.js';
import { adstock, spendBefore } from './adstock.js';
import { levelAt } from './level.js';
import { gather, meanOf, type FittedChannel, type Problem } from './problem.js';

/** Variance inflation from which on channels are not told apart. */
const MOST_VIF = 10;
const MOST_CORRELATION = 0.95;
const CARRY_OVER = { alpha: 0.5, delayed: false, peak: 0 };
/** Speed of the baseline at which columns are compared. */
const RHO = 0.15;
/** Part of a column's square that rounding leaves of one that others explain wholly. */
const NOTHING = 1e-10;

/** How far the channels can be told apart by their spend; arrays by channel. */
export interface Collinearity {
  /** 1/(1 − R²) of a channel's spend on the others'; Infinity: they explain it wholly. */
  readonly vif: readonly number[];
  /** Channels that each cannot be told apart from. */
  readonly partners: readonly (readonly number[])[];
}

/**
 * Partners correlate above .95 after adstock with α = .5; a channel with a VIF from 10 on has at least the one whose whitened spend is
 * most like its own.
 */
export function collinearity(problem: Problem): Collinearity {
  const { channels, likelihood } = problem;
  const columns = whitenedSpend(problem);
  const carried = channels.map((channel) => centred(carriedOver(channel, likelihood)));
  const vif = columns.map((_, c) => inflation(columns, c));
  const partners = channels.map((_, c) => {
    const found = others(channels.length, c).filter((k) => cosine(carried, c, k) > MOST_CORRELATION);
    if (found.length === 0 && (vif[c] ?? 1) >= MOST_VIF) found.push(nearest(columns, c));
    return found;
  });
  return { vif, partners };
}

function whitenedSpend({ channels, likelihood, columns }: Problem): Float64Array[] {
  const n = likelihood.length;
  if (channels.length === 0) return [];
  const { l } = levelAt(columns, RHO, likelihood);
  return channels.map(({ input, spend }) => {
    const relative = gather(input.spend, likelihood).map((value) => (value * n) / spend);
    return forwardSolve(l, n, relative, relative);
  });
}

function carriedOver({ input }: FittedChannel, likelihood: Int32Array): Float64Array {
  const spend = Float64Array.from(input.spend);
  return gather(adstock(spend, spendBefore(spend, input.before), CARRY_OVER), likelihood);
}

function centred(values: Float64Array): Float64Array {
  const mean = meanOf(values);
  return values.map((value) => value - mean);
}

/** By Gram-Schmidt: what the other columns leave of one, without a constant. */
function inflation(columns: readonly Float64Array[], column: number): number {
  const basis: Float64Array[] = [];
  for (const other of others(columns.length, column)) {
    const rest = orthogonalTo(basis, columns[other]);
    const square = squareOf(rest);
    if (square > NOTHING * squareOf(columns[other])) basis.push(rest.map((value) => value / Math.sqrt(square)));
  }
  const own = squareOf(columns[column]);
  const left = squareOf(orthogonalTo(basis, columns[column]));
  return left > NOTHING * own ? own / left : Infinity;
}

/** Twice, since once leaves rounding errors in nearly parallel columns. */
function orthogonalTo(basis: readonly Float64Array[], column: Float64Array | undefined): Float64Array {
  const rest = Float64Array.from(column ?? []);
  for (let pass = 0; pass < 2; pass += 1) {
    for (const unit of basis) addScaled(rest, -dot(rest, 0, unit, 0, rest.length), unit, 0, rest.length);
  }
  return rest;
}

function nearest(columns: readonly Float64Array[], column: number): number {
  const likeness = (k: number): number => Math.abs(cosine(columns, column, k));
  return others(columns.length, column).reduce((best, k) => (likeness(k) > likeness(best) ? k : best));
}

function cosine(columns: readonly Float64Array[], a: number, b: number): number {
  const left = columns[a] ?? new Float64Array();
  const right = columns[b] ?? new Float64Array();
  let product = 0;
  for (let i = 0; i < left.length; i += 1) product += at(left, i) * at(right, i);
  return product / Math.sqrt(squareOf(left) * squareOf(right));
}

function squareOf(values: Float64Array | undefined): number {
  return values === undefined ? 0 : dot(values, 0, values, 0, values.length);
}

function others(count: number, one: number): number[] {
  return Array.from({ length: count }, (_, k) => k).filter((k) => k !== one);
}
