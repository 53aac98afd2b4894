import { describe, expect, it } from '@jest/globals';
import { dot } from '../linalg/dot.js';
import { Random } from '../random/random.js';
import { EffectSampler, LOG_ODDS_NO_EFFECT, NO_POINT, type EffectData } from './effect.js';
import { GRID, LOG_PRIOR } from './grid.js';

const N = 12;
const SIGMA2 = 0.02;

/** Profiles around 1 of each grid point. */
function dataOf(tests?: { precision: number; pull: number }): EffectData {
  const random = Random.stream(4, 'profiles', 0);
  const m = Float64Array.from({ length: GRID.length * N }, () => 1 + 0.5 * random.normal());
  return {
    m,
    a: Float64Array.from(GRID, (_, g) => dot(m, g * N, m, g * N, N)),
    testPrecision: tests && new Float64Array(GRID.length).fill(tests.precision),
    testPull: tests && new Float64Array(GRID.length).fill(tests.pull),
  };
}

function residual(mean: number): Float64Array {
  const random = Random.stream(4, 'residual', 0);
  return Float64Array.from({ length: N }, () => mean + 0.1 * random.normal());
}

/** ln of (1/s)·∫₀ᵁ exp(−q/s − q)·exp(B·q − ½H·q²) dq·p(θ), by Simpson's rule. */
function integral(precision: number, pull: number, logScale: number, upper: number, g: number): number {
  const steps = 4_000;
  const rate = Math.exp(-logScale) + 1;
  let sum = 0;
  for (let i = 0; i <= steps; i += 1) {
    const q = (upper * i) / steps;
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp((pull - rate) * q - 0.5 * precision * q * q);
  }
  return Math.log((sum * upper) / steps / 3) - logScale + LOG_PRIOR[g]!;
}

describe('the effect of a channel with its share integrated out', () => {
  it.each([
    { mean: 0.2, upper: 0.95, logScale: -2 },
    { mean: 0.2, upper: 0.05, logScale: -2 },
    { mean: 0.02, upper: 0.6, logScale: -4 },
    { mean: -0.01, upper: 0.95, logScale: -1 },
    { mean: 0.2, upper: 0.95, logScale: -2, tests: { precision: 900, pull: 90 } },
  ])('weighs grid points as numerical integration does: %p', ({ mean, upper, logScale, tests }) => {
    const data = dataOf(tests);
    const rest = residual(mean);
    const logs = new EffectSampler(N).logWeights(data, rest, SIGMA2, logScale, upper);
    for (const g of [0, 1, 57, 200, 356]) {
      const precision = (0.8 * data.a[g]!) / SIGMA2 + (tests?.precision ?? 0);
      const pull = (0.8 * dot(data.m, g * N, rest, 0, N)) / SIGMA2 + (tests?.pull ?? 0);
      expect(logs[g]).toBeCloseTo(integral(precision, pull, logScale, upper, g), 6);
    }
  });

  it('leaves out only what could never be drawn', () => {
    const data = dataOf();
    const rest = residual(1);
    const logs = new EffectSampler(N).logWeights(data, rest, 1e-4, -1, 0.95).slice();
    const best = Math.max(...logs);
    expect(logs.filter((log) => log === -Infinity).length).toBeGreaterThan(0);
    logs.forEach((log, g) => {
      if (log !== -Infinity) return;
      const squared = (0.8 * dot(data.m, g * N, rest, 0, N)) / 1e-4 - Math.exp(1) - 1;
      const bound = (0.5 * squared * squared * 1e-4) / (0.8 * data.a[g]!) + 1 + 0.92;
      expect(bound).toBeLessThan(best - 40);
    });
  });

  it('draws outcomes as often as they weigh, and shares between zero and what is left', () => {
    const sampler = new EffectSampler(N);
    const data = dataOf();
    const rest = residual(0.01);
    const random = Random.stream(4, 'draws', 0);
    const logs = sampler.logWeights(data, rest, SIGMA2, -3, 0.3).slice();
    const some = logs.reduce((sum, log) => sum + Math.exp(log), 0);
    const expected = Math.exp(LOG_ODDS_NO_EFFECT) / (some + Math.exp(LOG_ODDS_NO_EFFECT));
    let none = 0;
    const count = 6_000;
    for (let i = 0; i < count; i += 1) {
      const { point, share } = sampler.draw(data, rest, SIGMA2, -3, 0.3, random);
      if (point === NO_POINT) {
        none += 1;
        expect(share).toBe(0);
      } else if (!(share > 0 && share <= 0.3)) throw new Error(`A share of ${share}.`);
    }
    expect(Math.abs(none / count - expected)).toBeLessThan(0.03);
  });
});
