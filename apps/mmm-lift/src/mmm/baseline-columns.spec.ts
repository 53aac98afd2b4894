import { describe, expect, it } from '@jest/globals';
import { sundays } from '../../../../test/fixtures/mix-input.js';
import { backwardSolve, forwardSolve } from '../linalg/cholesky.js';
import { Baseline } from './baseline.js';
import { baselineColumns, baselineCovariance } from './baseline-columns.js';
import { mondayOf, positionInYear } from './calendar.js';
import { levelAt } from './level.js';

describe('the calendar', () => {
  it('counts weeks within the year, leap years too', () => {
    expect(positionInYear('2023-01-01')).toBe(0);
    expect(positionInYear('2023-11-26')).toBeCloseTo(329 / 7, 12);
    expect(positionInYear('2024-12-29')).toBeCloseTo(363 / 7, 12);
  });

  it('knows the Monday of a week', () => {
    expect(mondayOf('2024-03-03')).toBe('2024-02-26');
  });
});

describe('the columns of the baseline', () => {
  const width = (weeks: number, controls = 0, outliers: number[] = []): number =>
    baselineColumns(sundays(weeks), weeks, Array(controls).fill(new Float64Array(weeks)), outliers).width;

  it('are a constant, a trend, as many seasons as the weeks tell apart, and the peaks inside the window', () => {
    expect(width(30)).toBe(2 + 2);
    expect(width(51)).toBe(2 + 2 + 2);
    expect(width(52)).toBe(2 + 4 + 2);
    expect(width(80)).toBe(2 + 6 + 2);
    expect(width(80, 3, [4, 9])).toBe(2 + 6 + 2 + 3 + 2);
  });

  it('have the variances of the design', () => {
    const weeks = sundays(104);
    const columns = baselineColumns(weeks, 104, [Float64Array.from(weeks, (_, t) => t)], [100]);
    const season = (s: number, t: number): number =>
      [1, 2, 3].reduce((sum, k) => {
        const angle = (2 * Math.PI * k * (positionInYear(weeks[s]!) - positionInYear(weeks[t]!))) / 52.1775;
        return sum + (25 / k) * Math.cos(angle);
      }, 0);
    const trend = (t: number): number => (t - 51.5) / 52;
    const plain = (s: number, t: number): number => 1e4 + 400 * trend(s) * trend(t) + season(s, t) + 25 * s * t;
    expect(baselineCovariance(columns, 0, 3, 20)).toBeCloseTo(plain(3, 20), 6);
    expect(baselineCovariance(columns, 0.4, 3, 20)).toBeCloseTo(plain(3, 20) + 0.16 * 3, 6);
    expect(baselineCovariance(columns, 0, 100, 100)).toBeCloseTo(plain(100, 100) + 4 + 1e3, 6);
    // 2023-11-26 and 2024-12-22 lie before Christmas.
    expect(baselineCovariance(columns, 0, 47, 47)).toBeCloseTo(plain(47, 47) + 4, 6);
    expect(weeks[47]).toBe('2023-11-26');
  });
});

describe('the baseline', () => {
  const weeks = sundays(30);
  const likelihood = Int32Array.from({ length: 28 }, (_, i) => (i < 10 ? i : i + 1));
  const columns = baselineColumns(weeks, 28, [], []);
  const y = Float64Array.from(likelihood, (t) => 1 + 0.01 * t + 0.05 * Math.sin(t));

  it('keeps calendar weeks apart where weeks are missing', () => {
    const { l } = levelAt(columns, 0.8, likelihood);
    const back = backwardSolve(l, 28, forwardSolve(l, 28, y));
    expect(new Baseline(columns, 0.8, likelihood).solve(y)).toEqual(back);
    expect(new Baseline(columns, 0.8, likelihood).covariances(10)[9]).toBeCloseTo(
      baselineCovariance(columns, 0.8, 10, 9),
      12,
    );
  });

  it('smooths: its weeks and what is left add up to the target', () => {
    const baseline = new Baseline(columns, 0.4, likelihood);
    const solved = baseline.solve(y);
    likelihood.forEach((t, i) => {
      const smoothed = baseline.covariances(t).reduce((sum, covariance, j) => sum + covariance * solved[j]!, 0);
      expect(smoothed + solved[i]!).toBeCloseTo(y[i]!, 8);
    });
  });

  it('is surer of a week between others than of one after them', () => {
    const baseline = new Baseline(columns, 0.4, likelihood);
    expect(baseline.predictiveVariance(10)).toBeGreaterThan(1);
    expect(baseline.predictiveVariance(29)).toBeGreaterThan(baseline.predictiveVariance(10));
  });
});
