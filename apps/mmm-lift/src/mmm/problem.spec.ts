import { describe, expect, it } from '@jest/globals';
import { mixChannel, mixInput, randomSpend } from '../../../../test/fixtures/mix-input.js';
import { adstock, spendBefore } from './adstock.js';
import { collinearity } from './collinearity.js';
import { GRID } from './grid.js';
import { problemOf } from './problem.js';
import { saturate } from './saturation.js';

const POINT = GRID.findIndex(
  ({ alpha, delayed, shape, kappa }) => alpha === 0.5 && delayed && shape === 'hill' && kappa === 2,
);

describe('a problem', () => {
  it('has a target of mean 1 over the weeks with events, and keeps counting the others', () => {
    const { y, weeks } = mixInput();
    const missing = y.map((value, t) => (t === 5 || t === 39 ? null : value));
    const problem = problemOf(mixInput(40, { y: missing }));
    expect(problem.likelihood).toHaveLength(38);
    expect(problem.weeks).toEqual(weeks);
    expect(problem.y.reduce((sum, value) => sum + value, 0)).toBeCloseTo(38, 9);
  });

  it('has profiles of mean 1 over the same weeks', () => {
    const { y, channels } = mixInput();
    const missing = y.map((value, t) => (t === 5 ? null : value));
    const { likelihood, channels: fitted } = problemOf(mixInput(40, { y: missing }));
    const spend = Float64Array.from(channels[1]!.spend);
    const carried = adstock(spend, spendBefore(spend, []), { alpha: 0.5, delayed: true, peak: 0 });
    const known = carried.filter((_, t) => t !== 5);
    const half = (2 * known.reduce((sum, value) => sum + value, 0)) / 39;
    const total = known.reduce((sum, value) => sum + saturate('hill', value, half), 0);
    const h = fitted[1]!.h.subarray(POINT * 40, (POINT + 1) * 40);
    h.forEach((value, t) => {
      expect(value).toBeCloseTo((39 * saturate('hill', carried[t]!, half)) / total, 9);
    });
    expect(likelihood.reduce((sum, t) => sum + h[t]!, 0)).toBeCloseTo(39, 9);
  });

  it('sorts channels by slug, sets constant ones aside and leaves out those without spend', () => {
    const channels = [
      mixChannel('Zeta', randomSpend(40, 1)),
      mixChannel('Flat', Array<number>(40).fill(5)),
      mixChannel('Alpha', randomSpend(40, 2)),
      mixChannel('None', Array<number>(40).fill(0)),
      mixChannel(
        'Pulsing',
        Array.from({ length: 40 }, (_, t) => (t % 2 === 0 ? 5 : 0)),
      ),
    ];
    const problem = problemOf(mixInput(40, { channels }));
    expect(problem.channels.map(({ input }) => input.name)).toEqual(['Alpha', 'Pulsing', 'Zeta']);
    expect(problem.constant.map(({ name }) => name)).toEqual(['Flat']);
  });

  it('knows what a test should find: all of the effect when all weeks and all spend were tested', () => {
    const input = mixInput();
    const test = {
      testId: null,
      channel: 'search',
      from: 0,
      to: 39,
      tested: Array<number>(40).fill(1),
      value: 1,
      se: 1,
    };
    const problem = problemOf({ ...input, tests: [test] });
    const total = input.y.reduce((sum: number, value) => sum + (value ?? 0), 0);
    const spend = input.channels[1]!.spend.reduce((sum, value) => sum + value, 0);
    // Without carry-over from before the window nothing is left of it.
    const now = GRID.findIndex(({ alpha }) => alpha === 0);
    expect(problem.tests[0]!.channel).toBe(1);
    expect(problem.tests[0]!.g[now]! * (spend / total)).toBeCloseTo(1, 9);
  });

  it('uses no test of a channel that is not fitted, or without tested spend', () => {
    const test = { testId: null, from: 0, to: 3, value: 1, se: 1 };
    const none = { ...test, channel: 'search', tested: Array<number>(40).fill(0) };
    const other = { ...test, channel: 'other', tested: Array<number>(40).fill(1) };
    expect(problemOf(mixInput(40, { tests: [none, other] })).tests).toEqual([]);
  });
});

describe('collinearity', () => {
  const search = randomSpend(60, 1);
  const radio = randomSpend(60, 2);
  const collinear = (channels: Record<string, number[]>): ReturnType<typeof collinearity> =>
    collinearity(problemOf(mixInput(60, { channels: Object.entries(channels).map((one) => mixChannel(...one)) })));

  it('is absent from unrelated channels, and from a single one', () => {
    const { vif, partners } = collinear({ a: search, b: radio });
    for (const value of vif) expect(value).toBeLessThan(1.5);
    expect(partners).toEqual([[], []]);
    expect(collinear({ a: search })).toEqual({ vif: [1], partners: [[]] });
  });

  it('is unbounded between copies, whatever their units', () => {
    const { vif, partners } = collinear({ a: search, b: radio, c: search.map((value) => value / 37) });
    expect(vif[0]).toBe(Infinity);
    expect(vif[1]).toBeLessThan(1.5);
    expect(partners).toEqual([[2], [], [0]]);
  });

  it('is found in a sum of channels that is like none of them', () => {
    const { vif, partners } = collinear({ a: search, b: radio, c: search.map((value, t) => value + radio[t]!) });
    expect(vif.every((value) => value >= 10)).toBe(true);
    expect(partners.every((names) => names.length > 0)).toBe(true);
  });
});
