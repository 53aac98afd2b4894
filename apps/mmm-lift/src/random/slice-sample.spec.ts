import { expect, it } from '@jest/globals';
import { Random } from './random.js';
import { sliceSample, type SliceLimits } from './slice-sample.js';

function run(logDensity: (x: number) => number, limits?: SliceLimits): Float64Array {
  const random = Random.stream(9, 'slice', 0);
  let x = 0;
  return Float64Array.from({ length: 40_000 }, () => (x = sliceSample(random, x, logDensity, 1, limits)));
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

it('leaves a normal distribution as it is', () => {
  const values = run((x) => -0.5 * ((x - 1) / 2) * ((x - 1) / 2));
  expect(Math.abs(mean(values) - 1)).toBeLessThan(0.08);
  expect(Math.abs(mean(values.map((x) => (x - 1) * (x - 1))) - 4)).toBeLessThan(0.25);
});

it('finds both sides of a skew distribution: the logarithm of an exponential has mean −γ', () => {
  expect(Math.abs(mean(run((x) => x - Math.exp(x))) + 0.5772)).toBeLessThan(0.03);
});

it('goes no lower than it may', () => {
  // Without a limit this density has no lower end.
  const values = run((x) => (x > 3 ? -Infinity : 0), { steps: 20, lowest: -4 });
  expect(Math.min(...values)).toBeGreaterThanOrEqual(-4);
  expect(Math.max(...values)).toBeLessThanOrEqual(3);
  expect(Math.abs(mean(values) + 0.5)).toBeLessThan(0.15);
});
