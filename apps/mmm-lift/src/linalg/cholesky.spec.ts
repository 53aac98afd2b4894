import { describe, expect, it } from '@jest/globals';
import { CholeskyDecomposition, determinant, Matrix, solve } from 'ml-matrix';
import { Random } from '../random/random.js';
import { backwardSolve, cholesky, forwardSolve, logDet } from './cholesky.js';

const N = 23;
const random = Random.stream(11, 'cholesky', 0);
const factor = Matrix.from1DArray(
  N,
  N,
  Array.from({ length: N * N }, () => random.normal()),
);
const matrix = factor.mmul(factor.transpose()).add(Matrix.eye(N).mul(0.5));
const v = Float64Array.from(matrix.to1DArray());
const b = Float64Array.from({ length: N }, () => random.normal());

function expectClose(actual: Float64Array, expected: readonly number[]): void {
  actual.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i] ?? NaN, 9);
  });
}

describe('cholesky', () => {
  it('gives the lower triangle of ml-matrix', () => {
    const expected = new CholeskyDecomposition(matrix).lowerTriangularMatrix.to1DArray();
    expectClose(cholesky(v, N), expected);
  });

  it('works in place and does not read the upper triangle', () => {
    const own = v.map((value, place) => (place % N > Math.floor(place / N) ? NaN : value));
    expect(cholesky(own, N, own)).toBe(own);
    expect(own).toEqual(cholesky(v, N));
  });

  it('refuses what is not positive definite', () => {
    expect(() => cholesky(Float64Array.of(1, 2, 2, 1), 2)).toThrow(RangeError);
    expect(() => cholesky(Float64Array.of(NaN), 1)).toThrow(RangeError);
  });

  it('solves with both triangles, in place too', () => {
    const l = cholesky(v, N);
    const x = backwardSolve(l, N, forwardSolve(l, N, b));
    expectClose(x, solve(matrix, Matrix.columnVector(Array.from(b))).to1DArray());
    const own = b.slice();
    forwardSolve(l, N, own, own);
    backwardSolve(l, N, own, own);
    expect(own).toEqual(x);
  });

  it('knows the logarithm of the determinant', () => {
    expect(logDet(cholesky(v, N), N)).toBeCloseTo(Math.log(determinant(matrix)), 8);
  });
});
