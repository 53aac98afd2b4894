import logcdf from '@stdlib/stats-base-dists-normal-logcdf';
import { describe, expect, it } from '@jest/globals';
import { logNormalCdf, logNormalMass } from './log-normal-cdf.js';

function expectRelative(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(tolerance * Math.abs(expected));
}

describe('ln Φ', () => {
  it('agrees with @stdlib in both tails', () => {
    for (let x = -37; x <= 8; x += 0.173) expectRelative(logNormalCdf(x), logcdf(x, 0, 1), 1e-12);
  });

  it('goes on where Φ itself is no number any more', () => {
    // ln Φ(−x) ≈ −x²/2 − ln x − ½ ln 2π − 1/x².
    expectRelative(logNormalCdf(-1e4), -5e7 - Math.log(1e4) - 0.5 * Math.log(2 * Math.PI), 1e-12);
    expect(logNormalCdf(40)).toBe(-0);
  });
});

describe('ln[Φ(b) − Φ(a)]', () => {
  it.each([
    [-1, 1],
    [-3, 0.2],
    [-0.5, 12],
    [0.3, 0.31],
    [-8, -7.5],
    [7.5, 8],
    [2, 2.001],
  ])('is the integral of the density from %p to %p', (a, b) => {
    expectRelative(logNormalMass(a, b), Math.log(integral(a, Math.min(b, 12))), 1e-8);
  });

  it('is the same on both sides of zero', () => {
    expect(logNormalMass(20, 21)).toBe(logNormalMass(-21, -20));
    expectRelative(logNormalMass(20, 21), logcdf(-20, 0, 1), 1e-8);
  });

  it('is −700 between points that are one', () => {
    expect(logNormalMass(1, 1 + 1e-15)).toBe(-700);
    expect(logNormalMass(1, 1)).toBe(-700);
  });
});

/** Simpson's rule. */
function integral(a: number, b: number): number {
  const steps = 20_000;
  const width = (b - a) / steps;
  let sum = 0;
  for (let i = 0; i <= steps; i += 1) {
    const x = a + i * width;
    sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * Math.exp(-0.5 * x * x);
  }
  return (sum * width) / 3 / Math.sqrt(2 * Math.PI);
}
