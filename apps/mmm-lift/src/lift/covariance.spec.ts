import { describe, expect, it } from '@jest/globals';
import { covarianceOf, productsOf, settings } from './covariance.js';

const x = [Float64Array.of(1, -1, 0.5, 2, 0, 1, -2, 3), Float64Array.of(0, 1, 2, -1, 1, 0, 0.5, 1)];
const c = Float64Array.of(0.1, 0.2, 0.3, -0.1, 0, 1, 2, -1);
const components = { c, products: productsOf(x, 8), size: 8, period: 7 as const };
const setting = { common: 400, each: 0.25, weekday: 2.25, walk: 0.01, wave: 0.49 };

describe('the covariance of a lift test', () => {
  it.each([
    [2, 5],
    [5, 2],
    [3, 3],
    [0, 7],
  ])('is the sum of its parts between periods %d and %d', (i, j) => {
    const at = (series: Float64Array | undefined, day: number): number => series?.[day] ?? Number.NaN;
    const products = x.reduce((sum, series) => sum + at(series, i) * at(series, j), 0);
    const sameWeekday = i % 7 === j % 7 ? 2.25 : 0;
    const expected =
      1000 +
      400 * at(c, i) * at(c, j) +
      0.25 * products +
      sameWeekday +
      0.01 * Math.min(i, j) +
      0.49 * 0.9 ** Math.abs(i - j);
    expect(covarianceOf(components, setting)(i, j)).toBeCloseTo(expected, 9);
  });

  it('knows nothing of controls where there are none', () => {
    const alone = covarianceOf({ c: null, products: productsOf([], 8), size: 8, period: 7 }, { ...setting, wave: 0 });
    expect(alone(1, 2)).toBeCloseTo(1000 + 0.01, 12);
  });

  it('averages over the settings of the table', () => {
    expect(settings('donors', 7, 90)).toHaveLength(2 * 5 * 3 * 2);
    expect(settings('regression', 7, 90)).toHaveLength(5 * 5 * 3 * 2);
    expect(settings('history', 7, 90)).toHaveLength(5 * 3 * 2);
    const variances = (key: 'each' | 'weekday' | 'walk' | 'wave'): number[] => [
      ...new Set(settings('donors', 7, 90).map((each) => Math.sqrt(each[key]))),
    ];
    expect(settings('donors', 7, 90)[0]?.common).toBe(0.09);
    expect(variances('each')).toEqual([0.05, 0.2]);
    expect(variances('walk')).toEqual([0, 0.02, 0.05, 0.15, 0.4]);
    expect(variances('wave')).toEqual([0, 0.7, 1.5]);
    expect(variances('weekday')).toEqual([0.15, 1.5]);
  });

  it('has no weekdays without a period of 7 or before 14 known days', () => {
    for (const list of [settings('donors', 1, 90), settings('donors', 7, 13)]) {
      expect(list).toHaveLength(30);
      expect(list.every(({ weekday }) => weekday === 0)).toBe(true);
    }
    expect(settings('donors', 7, 14)).toHaveLength(60);
  });
});
