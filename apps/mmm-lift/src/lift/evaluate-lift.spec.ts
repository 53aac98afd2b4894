import { describe, expect, it } from '@jest/globals';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { Random } from '../random/random.js';
import { evaluateLift } from './evaluate-lift.js';
import type { LiftInput } from './lift-input.js';

const PRE = 60;
const WINDOW = 14;
const ALL = PRE + WINDOW;

/** A panel of places that share a week and a wave, the treated one lifted by so many per day of the window. */
function panel({
  controls = 3,
  lift = 10,
  seed = 1,
}: { controls?: number; lift?: number; seed?: number } = {}): LiftInput {
  const random = Random.stream(seed, 'panel', 0);
  const shared = Array.from(
    { length: ALL },
    (_, day) => 100 + 15 * (day % 7 === 5 ? 1 : 0) + 8 * Math.sin(day / 9) + 3 * random.normal(),
  );
  const place = (size: number): number[] => shared.map((value) => size * value + 2 * random.normal());
  return {
    metric: 'conversions',
    isCount: true,
    days: Array.from({ length: ALL }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)),
    preLength: PRE,
    tailLength: 4,
    y: place(1).map((value, day) => (day < PRE ? value : value + lift)),
    controls: Array.from({ length: controls }, (_, index) => ({
      name: `place ${index}`,
      values: place(0.5 + 0.2 * index),
    })),
    period: 7,
    treated: ['Lyon'],
    organic: null,
    spend: null,
    conversionValue: null,
    averageOrderValue: null,
    currency: 'EUR',
    droppedControls: [{ control: 'Nice', reason: 'few_days' }],
    warnings: ['spend_scope_unknown'],
    seed: 7,
  };
}

const input = panel();
const numbers = evaluateLift(input);

describe('a lift test', () => {
  it('finds the planted lift and names what it rests on', () => {
    expect(numbers.lift_total / WINDOW).toBeGreaterThan(7);
    expect(numbers.lift_total / WINDOW).toBeLessThan(13);
    expect(numbers.lift_lo).toBeLessThan(140);
    expect(numbers.lift_hi).toBeGreaterThan(140);
    expect(numbers.p_value).toBeLessThan(0.1);
    expect(numbers).toMatchObject({
      method: 'control_regression',
      pre_from: '2024-01-01',
      pre_to: '2024-02-29',
      test_from: '2024-03-01',
      test_to: '2024-03-10',
      n_days: WINDOW,
      confidence_level: 0.9,
      currency: 'EUR',
      trust_tier: 'medium',
      treated: ['Lyon'],
      n_controls: 3,
      tail_days: 4,
      warnings: ['spend_scope_unknown'],
      seed: 7,
      organic_shift: null,
      spend_window: null,
      incremental_roas: null,
      incremental_roas_lo: null,
      cpa: null,
    });
    expect(numbers.diagnostics.dropped_controls).toEqual([{ control: 'Nice', reason: 'few_days' }]);
  });

  it('adds up: by day, in total and in percent', () => {
    const window = numbers.days.slice(PRE);
    expect(window.reduce((sum, { lift }) => sum + (lift ?? 0), 0)).toBeCloseTo(numbers.lift_total, 9);
    expect(numbers.observed_total - numbers.counterfactual_total).toBeCloseTo(numbers.lift_total, 9);
    expect(numbers.lift_pct).toBeCloseTo((100 * numbers.lift_total) / numbers.counterfactual_total, 9);
    for (const day of numbers.days) {
      expect((day.observed ?? 0) - day.counterfactual).toBeCloseTo(day.lift ?? Number.NaN, 9);
      expect(day.cf_lo).toBeLessThan(day.counterfactual);
      expect(day.cf_hi).toBeGreaterThan(day.counterfactual);
    }
  });

  it('shows an honest fit before the test', () => {
    const before = numbers.days.slice(0, PRE);
    const inside = before.filter(
      ({ observed, cf_lo, cf_hi }) => (observed ?? 0) >= cf_lo && (observed ?? 0) <= cf_hi,
    ).length;
    expect(inside / PRE).toBeGreaterThan(0.8);
    const squares = before.reduce((sum, { lift }) => sum + (lift ?? 0) * (lift ?? 0), 0) / PRE;
    const mean = before.reduce((sum, { observed }) => sum + (observed ?? 0), 0) / PRE;
    expect(numbers.diagnostics.fit_error_pct).toBeCloseTo((100 * Math.sqrt(squares)) / mean, 9);
    expect(before.every(({ spend_window }) => spend_window === null)).toBe(true);
  });

  it('gives the same numbers twice, others for another seed', () => {
    expect(JSON.stringify(evaluateLift(structuredClone(input)))).toBe(JSON.stringify(numbers));
    const other = evaluateLift({ ...input, seed: 8 });
    expect(other.lift_lo).not.toBe(numbers.lift_lo);
    expect(Math.abs(other.lift_lo - numbers.lift_lo)).toBeLessThan(0.1 * (numbers.lift_hi - numbers.lift_lo));
    expect(other.lift_total).toBe(numbers.lift_total);
  });

  it('weaves donors from 8 controls, in whatever order they come', () => {
    const wide = panel({ controls: 9 });
    const woven = evaluateLift(wide);
    expect(woven.method).toBe('synthetic_control');
    expect(woven.trust_tier).toBe('high');
    expect(woven.diagnostics.placebo_z).toHaveLength(9 + 2);
    expect(woven.diagnostics.weights).toHaveLength(9);
    expect(woven.calibration_factor).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(evaluateLift({ ...wide, controls: [...wide.controls].reverse() }))).toBe(
      JSON.stringify(woven),
    );
  });

  it('falls back on its own history, with little trust', () => {
    const alone = evaluateLift(panel({ controls: 0 }));
    expect(alone).toMatchObject({ method: 'own_history', n_controls: 0, trust_tier: 'low' });
    expect(alone.lift_hi - alone.lift_lo).toBeGreaterThan(numbers.lift_hi - numbers.lift_lo);
  });

  it('does not depend on the unit of the outcome', () => {
    const scaled = evaluateLift({ ...input, y: input.y.map((value) => (value === null ? null : value * 1e-4)) });
    expect(scaled.lift_pct).toBeCloseTo(numbers.lift_pct ?? 0, 6);
    expect(scaled.lift_lo * 1e4).toBeCloseTo(numbers.lift_lo, 6);
  });
});

describe('missing days', () => {
  const gaps = [10, 40, PRE + 3];
  const gappy = evaluateLift({ ...input, y: input.y.map((value, day) => (gaps.includes(day) ? null : value)) });

  it('have a counterfactual, but neither outcome nor lift, and are no part of the total', () => {
    for (const gap of gaps) {
      expect(gappy.days[gap]).toMatchObject({ observed: null, lift: null, organic: null });
      expect(Number.isFinite(gappy.days[gap]?.counterfactual)).toBe(true);
      expect(gappy.days[gap]?.cf_lo).toBeLessThan(gappy.days[gap]?.cf_hi ?? 0);
    }
    expect(gappy.diagnostics.missing_days).toEqual(gaps.map((gap) => input.days[gap]));
    expect(gappy.n_days).toBe(WINDOW);
    const seen = gappy.days.slice(PRE).filter(({ observed }) => observed !== null);
    expect(gappy.counterfactual_total).toBeCloseTo(
      seen.reduce((sum, { counterfactual }) => sum + counterfactual, 0),
      9,
    );
    expect(gappy.lift_total / 13).toBeGreaterThan(7);
  });

  it('keep the calendar: the weekday of the others stays', () => {
    for (const day of [PRE + 2, PRE + 5, PRE + 12]) {
      const [with_, without] = [numbers.days[day]?.counterfactual ?? 0, gappy.days[day]?.counterfactual ?? 0];
      expect(Math.abs(with_ - without)).toBeLessThan(2);
    }
  });

  it('make a test insufficient when they are more than a fifth of the pre-period', () => {
    const tierWith = (missing: number): string =>
      evaluateLift({ ...input, y: input.y.map((value, day) => (day < missing ? null : value)) }).trust_tier;
    expect(tierWith(12)).toBe('medium');
    expect(tierWith(13)).toBe('insufficient');
  });

  it('in all of the window leave nothing to judge', () => {
    const blind = evaluateLift({ ...input, y: input.y.map((value, day) => (day < PRE ? value : null)) });
    expect(blind).toMatchObject({
      observed_total: 0,
      lift_total: 0,
      lift_pct: null,
      p_value: 1,
      trust_tier: 'insufficient',
    });
  });
});

describe('no baseline', () => {
  it.each([
    ['zero', 0],
    ['constant', 5],
    ['unknown', null],
  ])('a treated series that is %s before the test fails', (_, value) => {
    const flat = { ...input, y: input.y.map((now, day) => (day < PRE ? value : now)) };
    expect(() => evaluateLift(flat)).toThrow(RunFailure);
    expect(() => evaluateLift(flat)).toThrow(expect.objectContaining({ code: 'no_baseline' }));
  });
});

describe('cost and organic part', () => {
  it('gives return and cost of the whole window, its bounds and its course', () => {
    const paid = evaluateLift({ ...input, spend: Array<number>(WINDOW).fill(100), conversionValue: 30 });
    expect(paid.spend_window).toBe(1400);
    expect(paid.incremental_roas).toBeCloseTo((paid.lift_total * 30) / 1400, 9);
    expect(paid.incremental_roas_lo).toBeCloseTo((paid.lift_lo * 30) / 1400, 9);
    expect(paid.incremental_roas_hi).toBeCloseTo((paid.lift_hi * 30) / 1400, 9);
    expect(paid.cpa).toBeCloseTo(1400 / paid.lift_total, 9);
    expect(paid.days[PRE]?.spend_window).toBe(100);
    expect(paid.days[ALL - 1]?.spend_window).toBe(1400);
    expect(paid.days[ALL - 1]?.cpa).toBeCloseTo(paid.cpa ?? 0, 9);
    expect(paid.lift_total).toBe(numbers.lift_total);
  });

  it('warns of cannibalisation when the organic part sank', () => {
    const share = (values: (number | null)[]): number[] =>
      values.map((value, day) => (value ?? 0) * 0.4 + ((day * 7) % 5));
    const organic = {
      y: share(input.y).map((value, day) => (day < PRE ? value : value - 25)),
      controls: input.controls.map(({ values }) => share(values)),
    };
    const sunk = evaluateLift({ ...input, organic });
    expect(sunk.organic_shift).toBeLessThan(0);
    expect(sunk.organic_shift_hi).toBeLessThan(0);
    expect(sunk.warnings).toEqual(['spend_scope_unknown', 'cannibalisation']);
    expect(sunk.days[3]?.organic).toBe(organic.y[3]);
    expect(sunk.lift_total).toBe(numbers.lift_total);
    expect(sunk.lift_lo).toBe(numbers.lift_lo);

    const steady = evaluateLift({ ...input, organic: { ...organic, y: share(input.y) } });
    expect(steady.warnings).toEqual(['spend_scope_unknown']);
    const none = evaluateLift({ ...input, organic: { ...organic, y: organic.y.map(() => 0) } });
    expect(none).toMatchObject({ organic_shift: null, organic_shift_lo: null, organic_shift_hi: null });
  });
});
