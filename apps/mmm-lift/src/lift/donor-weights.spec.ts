import { describe, expect, it } from '@jest/globals';
import { Random } from '../random/random.js';
import { atLevelOf, donorWeights } from './donor-weights.js';

const random = Random.stream(5, 'donors', 0);
const donors = Array.from({ length: 8 }, () => Float64Array.from({ length: 120 }, () => 100 + 10 * random.normal()));

describe('donor weights', () => {
  it('finds a known mixture', () => {
    const mixture = Float64Array.from(
      { length: 120 },
      (_, day) => 0.7 * (donors[2]?.[day] ?? 0) + 0.3 * (donors[5]?.[day] ?? 0),
    );
    const weights = donorWeights(donors, mixture, 1500);
    expect(weights[2]).toBeCloseTo(0.7, 2);
    expect(weights[5]).toBeCloseTo(0.3, 2);
    expect([...weights].every((weight) => weight >= 0)).toBe(true);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });

  it('follows movements, not the level', () => {
    const lifted = Float64Array.from(donors[3] ?? [], (value) => value + 5000);
    expect(donorWeights(donors, lifted, 1500)[3]).toBeGreaterThan(0.97);
  });

  it('stays even where no control explains anything', () => {
    expect([...donorWeights([new Float64Array(9), new Float64Array(9)], new Float64Array(9), 10)]).toEqual([0.5, 0.5]);
  });

  it('takes the first step by the formula', () => {
    const rows = [Float64Array.of(1, 2, 3), Float64Array.of(3, 1, 2)];
    const y = Float64Array.of(1, 2, 4);
    // r = (1, −.5, −1.5), mean −1/3, so that G = (−2.5, 1.5) and the weights are in the ratio exp(½) : exp(−.3).
    const [first = 0, second = 0] = donorWeights(rows, y, 1);
    expect(first / second).toBeCloseTo(Math.exp(0.8), 10);
  });

  it('brings a control to the level of the treated series', () => {
    const level = atLevelOf(Float64Array.of(2, 4), { mean: 4, sd: 1 }, { mean: 100, sd: 1 });
    expect([...level]).toEqual([50, 100]);
  });
});
