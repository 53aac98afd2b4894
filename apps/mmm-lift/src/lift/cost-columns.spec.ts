import { describe, expect, it } from '@jest/globals';
import { costFigures, returnOn, runningCosts } from './cost-columns.js';

const counts = { isCount: true, conversionValue: 20, averageOrderValue: null };
const revenue = { isCount: false, conversionValue: null, averageOrderValue: 50 };

describe('cost columns', () => {
  it('run from the first day of the window', () => {
    expect(runningCosts([10, 10, 20], [1, null, 3], counts)).toEqual([
      { spend_window: 10, incremental_roas: 2, cpa: 10 },
      { spend_window: 20, incremental_roas: 1, cpa: 20 },
      { spend_window: 40, incremental_roas: 2, cpa: 10 },
    ]);
  });

  it('turn revenue into conversions by the order value, and need no conversion value', () => {
    expect(costFigures(100, 500, revenue)).toEqual({ spend_window: 100, incremental_roas: 5, cpa: 10 });
  });

  it.each([
    ['spend is unknown', null, 5, counts, { spend_window: null, incremental_roas: null, cpa: null }],
    ['spend is 0', 0, 5, counts, { spend_window: 0, incremental_roas: null, cpa: null }],
    ['the lift is 0', 10, 0, counts, { spend_window: 10, incremental_roas: 0, cpa: null }],
    ['the lift is negative', 10, -1, counts, { spend_window: 10, incremental_roas: -2, cpa: null }],
    [
      'a conversion has no value',
      10,
      5,
      { ...counts, conversionValue: null },
      { spend_window: 10, incremental_roas: null, cpa: 2 },
    ],
    [
      'the order value is unknown',
      10,
      5,
      { ...revenue, averageOrderValue: null },
      { spend_window: 10, incremental_roas: 0.5, cpa: null },
    ],
  ])('are empty where %s', (_, spend, lift, money, expected) => {
    expect(costFigures(spend, lift, money)).toEqual(expected);
  });

  it('give the bounds of the return', () => {
    expect(returnOn(10, -3, counts)).toBe(-6);
    expect(returnOn(0, -3, counts)).toBeNull();
  });
});
