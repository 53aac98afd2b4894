import { describe, expect, it } from '@jest/globals';
import { trustTier, type Trust } from './trust-tier.js';

const HIGH: Trust = {
  n: 104,
  channels: 4,
  effects: 11,
  identifiedSpend: 0.6,
  testedSpend: 0,
  worstTest: 0,
  holdOut: { weeks: 13, mape: 0.15, inBand: 0.7 },
  converged: true,
  warnings: [],
};
const TESTED: Trust = { ...HIGH, n: 52, identifiedSpend: 0, testedSpend: 0.5, worstTest: 2, holdOut: null };

describe('the tier is', () => {
  it('high with two good years', () => {
    expect(trustTier(HIGH)).toBe('high');
  });

  it.each<Partial<Trust>>([
    { n: 103 },
    { identifiedSpend: 0.59 },
    { effects: 27 },
    { holdOut: { weeks: 13, mape: 0.16, inBand: 0.9 } },
    { holdOut: { weeks: 13, mape: 0.1, inBand: 0.69 } },
    { converged: false },
    { warnings: ['cost_outlier'] },
    { warnings: ['unstable_baseline'] },
  ])('medium when %j', (trust) => {
    expect(trustTier({ ...HIGH, ...trust })).toBe('medium');
  });

  it('high with a year and tests that the model foresaw on half of the spend', () => {
    expect(trustTier(TESTED)).toBe('high');
    expect(trustTier({ ...TESTED, warnings: ['missing_weeks'] })).toBe('high');
    expect(trustTier({ ...TESTED, warnings: ['unstable_baseline'] })).toBe('medium');
  });

  it.each<Partial<Trust>>([{ n: 51 }, { testedSpend: 0.49 }, { worstTest: 2.1 }])('low when %j of it', (trust) => {
    expect(trustTier({ ...TESTED, ...trust })).toBe('low');
  });

  it.each<Partial<Trust>>([
    { n: 51 },
    { n: 26 },
    { identifiedSpend: 0.24 },
    { effects: 42 },
    { holdOut: null },
    { holdOut: { weeks: 13, mape: null, inBand: 1 } },
    { holdOut: { weeks: 13, mape: 0.26, inBand: 0.9 } },
  ])('low when %j', (trust) => {
    expect(trustTier({ ...HIGH, ...trust })).toBe('low');
  });

  it.each<Partial<Trust>>([{ n: 25 }, { channels: 0 }])('insufficient when %j', (trust) => {
    expect(trustTier({ ...HIGH, ...trust })).toBe('insufficient');
  });
});
