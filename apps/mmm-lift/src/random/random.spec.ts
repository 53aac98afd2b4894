import { describe, expect, it } from '@jest/globals';
import { Random } from './random.js';

const COUNT = 40_000;

function sample(draw: () => number): Float64Array {
  return Float64Array.from({ length: COUNT }, draw);
}

/** The means of the first powers of the values. */
function moments(values: Float64Array): number[] {
  return [1, 2, 3, 4].map((power) => {
    const total = values.reduce((sum, value) => {
      let product = 1;
      for (let i = 0; i < power; i += 1) product *= value;
      return sum + product;
    }, 0);
    return total / values.length;
  });
}

describe('a stream of random numbers', () => {
  it('is the same for the same seed, purpose and chain, and for nothing else', () => {
    const first = (...of: Parameters<typeof Random.stream>): number[] => {
      const random = Random.stream(...of);
      return [random.uniform(), random.uniform(), random.normal()];
    };
    expect(first(1, 'main', 0)).toEqual(first(1, 'main', 0));
    const others = [
      first(1, 'main', 0),
      first(2, 'main', 0),
      first(1, 'hold-out', 0),
      first(1, 'main', 1),
      first(1, 7, 0),
    ];
    expect(new Set(others.map(([value]) => value)).size).toBe(others.length);
  });

  it('never changes from one version to the next', () => {
    const random = Random.stream(1, 'golden', 0);
    expect([random.uniform(), random.uniform(), random.normal(), random.gamma(2.5)]).toEqual([
      0.00379942764993757, 0.8252383779035881, 0.2525800700212082, 1.9758561852672387,
    ]);
  });

  it('is uniform inside (0, 1)', () => {
    const random = Random.stream(3, 'uniform', 0);
    const values = sample(() => random.uniform());
    expect(Math.min(...values)).toBeGreaterThan(0);
    expect(Math.max(...values)).toBeLessThan(1);
    [1 / 2, 1 / 3, 1 / 4, 1 / 5].forEach((expected, i) => {
      expect(moments(values)[i]).toBeCloseTo(expected, 2);
    });
  });

  it('has whole numbers below a limit, all as often', () => {
    const random = Random.stream(3, 'below', 0);
    const counts = [0, 0, 0];
    sample(() => random.below(3)).forEach((value) => (counts[value] = (counts[value] ?? 0) + 1));
    for (const count of counts) expect(count / COUNT).toBeCloseTo(1 / 3, 2);
  });

  it('is standard normal', () => {
    const random = Random.stream(3, 'normal', 0);
    const [mean, square, cube, fourth] = moments(sample(() => random.normal()));
    expect(Math.abs(mean!)).toBeLessThan(0.02);
    expect(Math.abs(square! - 1)).toBeLessThan(0.03);
    expect(Math.abs(cube!)).toBeLessThan(0.06);
    expect(Math.abs(fourth! - 3)).toBeLessThan(0.15);
  });

  it.each([0.01, 0.4, 1, 2.5, 78])('is gamma of shape %p: mean and variance are the shape', (shape) => {
    const random = Random.stream(3, 'gamma', 0);
    const values = sample(() => random.gamma(shape));
    const [mean, square] = moments(values);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.abs(mean! - shape)).toBeLessThan(4 * Math.sqrt(shape / COUNT));
    expect((square! - mean! * mean!) / shape).toBeCloseTo(1, shape < 0.1 ? 0 : 1);
  });

  it('has no gamma of shape 0', () => {
    expect(() => Random.stream(1, 'gamma', 0).gamma(0)).toThrow(RangeError);
  });
});
