import { describe, expect, it } from '@jest/globals';
import { CARRY_OVERS, GRID, LOG_PRIOR } from './grid.js';
import { saturate } from './saturation.js';

describe('the grid', () => {
  it('has 357 points, delayed ones only with carry-over, two with a peak', () => {
    expect(GRID).toHaveLength(357);
    expect(CARRY_OVERS).toHaveLength(17);
    expect(CARRY_OVERS.filter(({ alpha }) => alpha === 0)).toEqual([{ alpha: 0, delayed: false, peak: 0 }]);
    expect(new Set(GRID.map((point) => JSON.stringify(point))).size).toBe(357);
  });

  it('has a prior that sums to 1, in the proportions of its formula', () => {
    expect(LOG_PRIOR.reduce((sum, log) => sum + Math.exp(log), 0)).toBeCloseTo(1, 12);
    const log = (alpha: number, delayed: boolean, shape: string, kappa: number): number =>
      LOG_PRIOR[
        GRID.findIndex(
          (p) => p.alpha === alpha && p.delayed === delayed && p.peak === 0 && p.shape === shape && p.kappa === kappa,
        )
      ]!;
    expect(log(0.5, false, 'hill', 1.25) - log(0.5, true, 'hill', 1.25)).toBeCloseTo(Math.log(0.7 / 0.3), 12);
    expect(log(0.5, false, 'tanh', 1.25) - log(0.5, false, 's_curve', 1.25)).toBeCloseTo(Math.log(2), 12);
    expect(log(0.5, false, 'hill', 7) - log(0.5, false, 'hill', 3.5)).toBeCloseTo(-0.35, 12);
    expect(log(0.5, false, 'hill', 0.25) - log(0.5, false, 'hill', 0.5)).toBeCloseTo(-0.35, 12);
    expect(log(0, false, 'hill', 2) - log(0.5, false, 'hill', 2)).toBeCloseTo(
      0.2 * Math.log(0.05 / 0.5) - 1.6 * Math.log(0.5),
      12,
    );
  });
});

describe('saturation', () => {
  it.each(['hill', 'tanh', 's_curve'] as const)('of %s is one half at the half point, and 0 without spend', (shape) => {
    expect(saturate(shape, 3, 3)).toBeCloseTo(0.5, 7);
    expect(saturate(shape, 0, 3)).toBe(0);
    expect(saturate(shape, 1e9, 3)).toBeCloseTo(1, 6);
  });

  it('is Hill with exponent 1 or 1.8, or tanh', () => {
    expect(saturate('hill', 2, 3)).toBeCloseTo(2 / 5, 12);
    expect(saturate('s_curve', 2, 3)).toBeCloseTo(1 / (1 + Math.pow(3 / 2, 1.8)), 12);
    expect(saturate('tanh', 2, 3)).toBeCloseTo(Math.tanh((Math.atanh(0.5) * 2) / 3), 7);
  });
});
