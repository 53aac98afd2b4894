import { expect, it } from '@jest/globals';
import { logNormalMass } from './log-normal-cdf.js';
import { Random } from './random.js';
import { standardTruncated, truncatedNormal } from './truncated-normal.js';

const COUNT = 6_000;

it.each([
  ['the middle', -1, 2],
  ['one side', 0.4, 30],
  ['a tail', 3, 3.4],
  ['a far tail', 9, 40],
  ['the other tail', -40, -9],
  ['a narrow place in the middle', 0.1, 0.1001],
  ['a narrow place in a tail', -6.001, -6],
  ['next to nothing', 5, 5 + 1e-10],
])('draws from %s with the right quantiles', (_, a, b) => {
  const random = Random.stream(5, 'truncated', 0);
  const values = Float64Array.from({ length: COUNT }, () => standardTruncated(random, a, b)).sort();
  expect(values[0]).toBeGreaterThanOrEqual(a);
  expect(values[COUNT - 1]).toBeLessThanOrEqual(b);
  if (b - a < 1e-9) return;
  const total = logNormalMass(a, b);
  for (const p of [0.05, 0.25, 0.5, 0.75, 0.95]) {
    const below = Math.exp(logNormalMass(a, values[Math.floor(p * COUNT)] ?? NaN) - total);
    expect(Math.abs(below - p)).toBeLessThan(0.025);
  }
});

it('stays between zero and the upper limit, however far the mean lies away', () => {
  const random = Random.stream(5, 'truncated share', 0);
  for (const mean of [-50, -1e-3, 0.2, 4, 1e6]) {
    for (let i = 0; i < 200; i += 1) {
      const share = truncatedNormal(random, mean, 0.01, 0.95);
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(0.95);
    }
  }
});

it('ends on what is no number', () => {
  expect(truncatedNormal(Random.stream(5, 'nan', 0), NaN, 1, 1)).toBeNaN();
});
