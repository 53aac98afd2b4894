import { describe, expect, it } from '@jest/globals';
import { correlation, maybeWeekStart } from './week-start.js';

/** Uniform numbers of a fixed course. */
function course(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** Spend, and a target of which it brings a quarter. */
function series(seed: number, weeks: number): { spend: number[]; y: number[] } {
  const next = course(seed);
  const noise = (): number => next() + next() + next() + next() - 2;
  const spend = Array.from({ length: weeks }, () => 100 + 120 * Math.abs(noise()));
  return { spend, y: spend.map((amount) => 500 + amount + 40 * noise()) };
}

describe('maybeWeekStart', () => {
  it('finds series that stand one week early', () => {
    const { spend, y } = series(7, 80);
    expect(maybeWeekStart(spend.slice(1), y)).toBe(true);
    expect(maybeWeekStart(spend, y)).toBe(false);
    expect(maybeWeekStart(spend, y.slice(1))).toBe(false);
  });

  it('is not misled by chance', () => {
    const alarms = Array.from({ length: 200 }, (_, seed) =>
      maybeWeekStart(series(seed + 1, 60).spend, series(seed + 1_001, 60).y),
    );
    expect(alarms.filter(Boolean).length).toBeLessThanOrEqual(6);
  });

  it('leaves out missing weeks, and needs changes', () => {
    const { spend, y } = series(7, 80);
    expect(
      maybeWeekStart(
        spend.slice(1),
        y.map((one, week) => (week % 9 === 4 ? null : one)),
      ),
    ).toBe(true);
    expect(
      maybeWeekStart(
        spend.map(() => 5),
        y,
      ),
    ).toBe(false);
    expect(maybeWeekStart([1, 2], [1, 2])).toBe(false);
    expect(maybeWeekStart([], [])).toBe(false);
  });
});

describe('correlation', () => {
  it('is that of Pearson', () => {
    expect(
      correlation([
        [1, 2],
        [2, 4],
        [3, 6],
      ]),
    ).toBeCloseTo(1, 12);
    expect(
      correlation([
        [1, 1],
        [2, -1],
        [3, 1],
      ]),
    ).toBeCloseTo(0, 12);
    expect(
      correlation([
        [1, 1],
        [1, 2],
      ]),
    ).toBe(0);
  });
});
