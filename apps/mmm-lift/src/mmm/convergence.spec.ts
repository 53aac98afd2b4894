import { expect, it } from '@jest/globals';
import { Random } from '../random/random.js';
import { rhat } from './convergence.js';
import { emptyDraws } from './draws.js';

/** R̂ of chains whose ln share is normal around the means given. */
function rhatOf(means: readonly number[], sd = 1, length = 400): number {
  const draws = emptyDraws(means.length, length, 2);
  const random = Random.stream(1, 'rhat', 0);
  means.forEach((mean, chain) => {
    for (let i = 0; i < length; i += 1)
      draws.share[2 * (chain * length + i) + 1] = Math.exp(mean + sd * random.normal());
  });
  return rhat(draws, 1);
}

it('is near 1 when chains agree and grows with their distance', () => {
  expect(rhatOf([-3, -3, -3, -3])).toBeLessThan(1.01);
  // Between 1/3 and within 1: √(4/3).
  expect(rhatOf([-3.5, -3.5, -2.5, -2.5])).toBeCloseTo(Math.sqrt(1 + 1 / 3), 1);
});

it('takes shares below 10⁻⁴ for one and the same', () => {
  expect(rhatOf([-30, -40, -50, -60])).toBeLessThanOrEqual(1);
});

it('is a finite number when chains are stuck apart', () => {
  expect(rhatOf([-1, -2, -1, -2], 0)).toBe(1000);
});
