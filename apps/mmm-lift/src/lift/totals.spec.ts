import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Random } from '../random/random.js';
import { detectablePercent, pValue, relativeLift, type Totals, totalsOf, widened } from './totals.js';

function totals(lift: number, drawn: number[], observed = 200): Totals {
  const sorted = Float64Array.from(drawn).sort();
  const drawnCounterfactual = sorted.map((value) => observed - value);
  return { observed, counterfactual: observed - lift, lift, drawn: sorted, drawnCounterfactual, sd: 2 };
}

describe('the totals of a window', () => {
  it('sum over the days that have an outcome only', () => {
    const panel = { y: Float64Array.of(1, 2, 10, Number.NaN, 30), controls: [], preLength: 2, period: 1 as const };
    const forecast = {
      mean: Float64Array.of(8, 500, 26),
      paths: [Float64Array.of(7, 900, 24), Float64Array.of(9, -900, 27)],
    };
    const { observed, counterfactual, lift, drawn, drawnCounterfactual, sd } = totalsOf(panel, forecast);
    expect({ observed, counterfactual, lift }).toEqual({ observed: 40, counterfactual: 34, lift: 6 });
    expect([...drawn]).toEqual([4, 9]);
    expect([...drawnCounterfactual]).toEqual([31, 36]);
    expect(sd).toBeCloseTo(Math.sqrt(12.5), 12);
  });

  it('widen every distance from the point value', () => {
    const sorted = Float64Array.from({ length: 101 }, (_, index) => index);
    expect(widened(sorted, 40, 1)).toEqual({ lo: 5, hi: 95 });
    expect(widened(sorted, 40, 2)).toEqual({ lo: -30, hi: 150 });
  });
});

describe('the p-value', () => {
  it('is twice the smaller share of draws beyond 0', () => {
    const drawn = Array.from({ length: 101 }, (_, index) => index - 10);
    expect(pValue(totals(40, drawn), 1)).toBeCloseTo(0.2, 12);
    expect(
      pValue(
        totals(
          -40,
          drawn.map((value) => -value),
        ),
        1,
      ),
    ).toBeCloseTo(0.2, 12);
    expect(
      pValue(
        totals(
          500,
          drawn.map((value) => value + 500),
        ),
        1,
      ),
    ).toBe(0);
  });

  it('widens with κ', () => {
    // Around 40 with κ 2 the draw −10 stands at −60 and 0 is where the draw 20 was.
    const drawn = Array.from({ length: 101 }, (_, index) => index - 10);
    expect(pValue(totals(40, drawn), 2)).toBeCloseTo(0.6, 12);
  });

  it('is below .10 just when the interval excludes 0', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: -4, max: 4, noNaN: true }),
        fc.double({ min: 1, max: 3, noNaN: true }),
        fc.integer({ min: 50, max: 300 }),
        (seed, lift, kappa, count) => {
          const random = Random.stream(seed, 'draws', 0);
          const drawn = Array.from({ length: count }, () => lift + random.normal());
          const all = totals(lift, drawn);
          const { lo, hi } = widened(all.drawn, lift, kappa);
          expect(pValue(all, kappa) < 0.1).toBe(lo > 0 || hi < 0);
        },
      ),
    );
  });

  it('is 1 without a day to judge', () => {
    expect(pValue({ ...totals(0, [0, 0]), sd: 0 }, 1)).toBe(1);
  });
});

describe('values in percent', () => {
  const drawn = Array.from({ length: 101 }, (_, index) => index - 50);

  it('the relative lift is a quotient per draw, widened by κ', () => {
    const relative = relativeLift(totals(0, drawn), 2);
    expect(relative?.percent).toBe(0);
    expect(relative?.lo).toBeCloseTo((2 * 100 * -45) / 245, 9);
    expect(relative?.hi).toBeCloseTo((2 * 100 * 45) / 155, 9);
  });

  it('is unknown where the counterfactual may have been nothing', () => {
    expect(relativeLift(totals(200, drawn), 1)).toBeNull();
    const open = relativeLift(totals(190, [150, 190, 195, 205, 210, 230]), 1);
    expect(open?.lo).toBeGreaterThan(100);
    expect(open?.hi).toBeNull();
  });

  it('the detectable lift is 2.49 widened standard deviations', () => {
    expect(detectablePercent(totals(0, drawn), 1.5)).toBeCloseTo((100 * 2.49 * 1.5 * 2) / 200, 12);
    expect(detectablePercent(totals(200, drawn), 1)).toBeNull();
  });
});
