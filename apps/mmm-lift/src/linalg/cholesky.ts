import { at, dot } from './dot.js';

/**
 * The lower triangular L with V = L·Lᵀ, row by row (Cholesky-Banachiewicz; Golub and Van Loan, Matrix Computations, 4.2).
 *
 * @param v symmetric, n × n, row-major; its upper triangle is not read
 * @param out may be v itself; its upper triangle becomes zero
 * @throws RangeError unless v is positive definite
 */
export function cholesky(v: Float64Array, n: number, out: Float64Array = new Float64Array(n * n)): Float64Array {
  for (let i = 0; i < n; i += 1) {
    const row = i * n;
    for (let j = 0; j < i; j += 1) {
      out[row + j] = (at(v, row + j) - dot(out, row, out, j * n, j)) / at(out, j * n + j);
    }
    const rest = at(v, row + i) - dot(out, row, out, row, i);
    if (!(rest > 0)) throw new RangeError(`The matrix is not positive definite at row ${i}.`);
    out[row + i] = Math.sqrt(rest);
    out.fill(0, row + i + 1, row + n);
  }
  return out;
}

/**
 * Solves L·x = b.
 *
 * @param out may be b itself
 */
export function forwardSolve(
  l: Float64Array,
  n: number,
  b: Float64Array,
  out: Float64Array = new Float64Array(n),
): Float64Array {
  for (let i = 0; i < n; i += 1) out[i] = (at(b, i) - dot(l, i * n, out, 0, i)) / at(l, i * n + i);
  return out;
}

/**
 * Solves Lᵀ·x = b.
 *
 * @param out may be b itself
 */
export function backwardSolve(
  l: Float64Array,
  n: number,
  b: Float64Array,
  out: Float64Array = new Float64Array(n),
): Float64Array {
  if (out !== b) out.set(b);
  for (let i = n - 1; i >= 0; i -= 1) {
    const x = at(out, i) / at(l, i * n + i);
    out[i] = x;
    for (let j = 0; j < i; j += 1) out[j] = at(out, j) - x * at(l, i * n + j);
  }
  return out;
}

/** ln det(L·Lᵀ) = 2 Σ ln L_ii. */
export function logDet(l: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i += 1) sum += Math.log(at(l, i * n + i));
  return 2 * sum;
}
