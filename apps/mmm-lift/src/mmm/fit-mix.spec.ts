import { describe, expect, it } from '@jest/globals';
import type { MixNumbers } from '#contracts/modeling/mix-run.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { mixChannel, mixInput, randomSpend } from '../../../../test/fixtures/mix-input.js';
import { Random } from '../random/random.js';
import { checkInput } from './check-input.js';
import { fitMain, fitMix, holdOut, preFit, summarize } from './fit-mix.js';
import type { MixInput, MixInputChannel } from './mix-input.js';

/** Without the hold-out, which most tests do not ask for. */
function fit(input: MixInput): MixNumbers {
  const pre = preFit(input);
  return summarize(input, pre, fitMain(input, pre), null);
}

function channelOf(numbers: MixNumbers, name: string): MixNumbers['channels'][number] {
  return numbers.channels.find(({ channel }) => channel === name)!;
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function expectRelative(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));
}

describe('a fitted mix', () => {
  const input = mixInput(52);
  const numbers = fitMix(input);

  it('is the same for the same seed, in parts too, and for any order of channels', () => {
    const pre = preFit(input);
    const parts = structuredClone([pre, fitMain(input, pre), holdOut(input, pre)] as const);
    expect(JSON.stringify(summarize(input, ...parts))).toBe(JSON.stringify(numbers));
  });

  it('does not depend on the order of channels', () => {
    const reversed = { ...input, channels: [...input.channels].reverse() };
    expect(fit(reversed)).toEqual(fit(input));
  });

  it('is nearly the same for another seed, but not wholly', () => {
    const other = fit({ ...input, seed: 2 });
    numbers.channels.forEach(({ channel, contribution_share }) => {
      const difference = Math.abs(channelOf(other, channel).contribution_share! - contribution_share!);
      expect(difference).toBeLessThan(0.01);
      expect(difference).toBeGreaterThan(0);
    });
  });

  it('does not depend on units', () => {
    const scaled = fit({
      ...input,
      y: input.y.map((value) => value! * 1e-4),
      channels: input.channels.map((channel) => ({ ...channel, spend: channel.spend.map((value) => 37 * value) })),
    });
    for (const { channel, contribution_share } of numbers.channels) {
      expect(Math.abs(channelOf(scaled, channel).contribution_share! - contribution_share!)).toBeLessThan(1e-9);
    }
  });

  it('finds what was planted', () => {
    expect(numbers.channels.map(({ channel }) => channel)).toEqual(['Search', 'Radio']);
    const total = sum(input.y);
    const carried = input.channels[1]!.spend.reduce<number[]>(
      (all, spend) => [...all, 0.5 * (all.at(-1) ?? 100) + 0.5 * spend],
      [],
    );
    const truth = sum(carried.map((value) => (600 * value) / (value + 100))) / total;
    const search = channelOf(numbers, 'Search');
    expect(search.contribution_share_lo).toBeLessThan(truth);
    expect(search.contribution_share_hi).toBeGreaterThan(truth);
    expect(search).toMatchObject({ identified: true, reasons: [] });
  });

  it('adds up: contributions and baseline to the target, weeks to contributions, return to contribution', () => {
    const total = sum(input.y);
    expectRelative(
      sum(numbers.channels.map(({ contribution }) => contribution)) + numbers.baseline_share * total,
      total,
    );
    expectRelative(sum(numbers.weeks.map(({ fitted }) => fitted)), total);
    for (const { channel, contribution, roi, spend, cpa } of numbers.channels) {
      expectRelative(roi! * spend, contribution!);
      expectRelative(sum(numbers.weeks.map(({ contributions }) => contributions[channel] ?? null)), contribution!);
      expect(cpa).toBeNull();
    }
    for (const { baseline, contributions, fitted } of numbers.weeks) {
      expectRelative(baseline + sum(Object.values(contributions)), fitted);
    }
  });

  it('has curves that begin at nothing, rise, and pass through the contribution', () => {
    for (const { channel, contribution } of numbers.channels) {
      const curve = numbers.curves.filter((point) => point.channel === channel);
      expect(curve.map(({ multiplier }) => multiplier)).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2]);
      expect(curve[0]).toEqual({ channel, multiplier: 0, response: 0, lo: 0, hi: 0 });
      expectRelative(curve[4]!.response, contribution!);
      curve.slice(1).forEach((point, i) => {
        expect(point.response).toBeGreaterThan(curve[i]!.response);
        expect(point.lo).toBeLessThanOrEqual(point.response);
        expect(point.hi).toBeGreaterThanOrEqual(point.response);
      });
    }
  });

  it('says where it comes from and how it did', () => {
    expect(numbers).toMatchObject({
      n_weeks: 52,
      n_channels: 2,
      window_from: '2022-12-26',
      window_to: '2023-12-24',
      currency: 'EUR',
      interval: 0.9,
      converged: true,
      calibrated_channels: [],
      warnings: [],
      seed: 1,
      model_version: '1',
      tests: [],
    });
    expect(numbers.diagnostics).toMatchObject({ draws: 2400, missing_weeks: [], collinear_pairs: [] });
    expect(numbers.diagnostics.holdout!.weeks).toBe(7);
    expect(numbers.holdout_mape).toBeLessThan(0.1);
    expect(numbers.r2).toBeGreaterThan(0.9);
    expectRelative(sum(numbers.diagnostics.level.map(({ weight }) => weight)), 1);
  });

  it('values counts in money only by a conversion value', () => {
    const count = { ...input, target: 'conversions', isCount: true };
    const plain = channelOf(fit(count), 'Search');
    expect(plain).toMatchObject({ roi: null, roi_lo: null, roi_hi: null, mroi: null, mroi_lo: null, mroi_hi: null });
    expectRelative(plain.cpa!, plain.spend / plain.contribution!);
    const valued = channelOf(fit({ ...count, conversionValue: 2.5 }), 'Search');
    expectRelative(valued.roi! * valued.spend, 2.5 * valued.contribution!);
    expect(valued.cpa).toBe(plain.cpa);
  });

  it('has a cost per outcome of revenue by the value of an order', () => {
    const { spend, contribution, cpa } = channelOf(fit({ ...input, averageOrderValue: 50 }), 'Search');
    expectRelative(cpa!, spend / (contribution! / 50));
  });
});

describe('lift tests', () => {
  const [radio, search] = mixInput(60).channels as [MixInputChannel, MixInputChannel];
  const input = mixInput(60, { channels: [{ ...radio, spend: radio.spend.map((value) => value / 4) }, search] });
  const tested = Array.from({ length: 60 }, (_, t) => (t >= 20 && t < 28 ? 1 : 0));
  const test = { testId: 'one', channel: 'search', from: 20, to: 28, tested };
  const plain = fit(input);

  it('pull the return of their channel and leave the truth to the stronger', () => {
    const value = 0.6 * channelOf(plain, 'Search').roi!;
    const numbers = fit({ ...input, tests: [{ ...test, value, se: 0.02 * value }] });
    expect(numbers.calibrated_channels).toEqual(['Search']);
    expect(numbers.tests).toHaveLength(1);
    expect(numbers.tests[0]).toMatchObject({ test_id: 'one', channel: 'Search', value });
    expect(numbers.tests[0]!.predicted / value).toBeGreaterThan(1.2);
    expect(numbers.warnings).toContain('test_conflict:Search');
    expect(channelOf(numbers, 'Search').roi).toBeLessThan(0.9 * channelOf(plain, 'Search').roi!);
  });

  it('that say what the model says anyway make it surer, and trusted', () => {
    const value = fit({ ...input, tests: [{ ...test, value: 1, se: 1e6 }] }).tests[0]!.predicted;
    const numbers = fit({ ...input, tests: [{ ...test, value, se: 0.03 * value }] });
    const width = ({ roi_lo, roi_hi }: MixNumbers['channels'][number]): number => roi_hi! - roi_lo!;
    expect(width(channelOf(numbers, 'Search'))).toBeLessThan(width(channelOf(plain, 'Search')));
    expect(numbers).toMatchObject({ warnings: [], trust_tier: 'high' });
  });
});

describe('awkward input', () => {
  function failure(input: MixInput): unknown {
    try {
      preFit(input);
    } catch (error) {
      if (error instanceof RunFailure) return { code: error.code, ...error.extensions };
      throw error;
    }
    return undefined;
  }

  it('without spend is refused', () => {
    expect(failure(mixInput(40, { channels: [] }))).toEqual({ code: 'no_cost' });
    expect(failure(mixInput(40, { channels: [mixChannel('A', Array<number>(40).fill(0))] }))).toEqual({
      code: 'no_cost',
    });
  });

  it('with fewer than 12 weeks of both spend and outcome is refused', () => {
    expect(failure(mixInput(11))).toEqual({ code: 'not_enough_weeks', have: 11, need: 12 });
    const late = Array.from({ length: 40 }, (_, t) => (t < 30 ? 0 : 5 + t));
    const short = mixInput(40, { channels: [mixChannel('A', late)] });
    expect(failure(short)).toEqual({ code: 'not_enough_weeks', have: 10, need: 12 });
    const { y } = mixInput(14);
    expect(failure(mixInput(14, { y: y.map((value, t) => (t < 3 ? null : value)) }))).toMatchObject({ have: 11 });
  });

  it('with a constant or zero target is refused', () => {
    for (const value of [0, 7]) {
      expect(failure(mixInput(40, { y: Array<number>(40).fill(value) }))).toEqual({ code: 'target_constant' });
    }
  });

  it('with refunds down to 5 % of the mean is warned of, below refused', () => {
    const { y } = mixInput(40);
    const mean = sum(y) / 40;
    const withWeek = (value: number): MixInput => mixInput(40, { y: y.map((old, t) => (t === 9 ? value : old)) });
    expect(failure(withWeek(-0.06 * mean))).toEqual({ code: 'target_negative' });
    expect(checkInput(withWeek(-0.03 * mean))).toEqual({ negativeWeeks: true });
    expect(checkInput(mixInput(40))).toEqual({ negativeWeeks: false });
  });

  it('of 12 to 25 weeks is fitted, and nothing is known', () => {
    const numbers = fit(mixInput(25));
    expect(numbers.trust_tier).toBe('insufficient');
    for (const { identified, reasons, contribution } of numbers.channels) {
      expect(identified).toBe(false);
      expect(reasons).toContain('short_window');
      expect(contribution).not.toBeNull();
    }
  });

  it('with constant spend keeps its row, last and empty', () => {
    const input = mixInput(40);
    const numbers = fit({ ...input, channels: [mixChannel('Flat', Array<number>(40).fill(99)), ...input.channels] });
    expect(numbers.n_channels).toBe(3);
    expect(numbers.channels[2]).toMatchObject({
      channel: 'Flat',
      identified: false,
      spend: 3960,
      reasons: ['constant_spend'],
    });
    expect(Object.values(numbers.channels[2]!).filter((value) => value === null)).toHaveLength(11);
    expect(channelOf(numbers, 'Search').contribution_share).toBeGreaterThan(0.1);
  });

  it('of constant spend only is a baseline and nothing else', () => {
    const numbers = fit(mixInput(40, { channels: [mixChannel('Flat', Array<number>(40).fill(99))] }));
    expect(numbers).toMatchObject({ trust_tier: 'insufficient', baseline_share: 1, n_channels: 1, curves: [] });
  });

  it('with a copied channel knows neither of the two, only both together', () => {
    const input = mixInput(60);
    const copy = { ...input.channels[1]!, slug: 'copy', name: 'Copy' };
    const numbers = fit({ ...input, channels: [...input.channels, copy] });
    expect(channelOf(numbers, 'Search').reasons).toContain('collinear_with:Copy');
    expect(channelOf(numbers, 'Copy').reasons).toContain('collinear_with:Search');
    const [pair] = numbers.diagnostics.collinear_pairs;
    expect(new Set(pair!.channels)).toEqual(new Set(['Copy', 'Search']));
    const single = channelOf(fit(input), 'Search').contribution_share!;
    expect(Math.abs(pair!.share - single)).toBeLessThan(0.25 * single);
    expect(pair!.share_lo).toBeLessThan(pair!.share);
    expect(numbers.diagnostics.channels.find(({ channel }) => channel === 'Copy')!.vif).toBeNull();
  });

  it('with hardly varying spend, or in few weeks, says so', () => {
    const random = Random.stream(8, 'steady', 0);
    const steady = Array.from({ length: 40 }, () => 100 + random.normal());
    const burst = Array.from({ length: 40 }, (_, t) => (t >= 20 && t < 26 ? 50 + t : 0));
    const numbers = fit(mixInput(40, { channels: [mixChannel('Burst', burst), mixChannel('Steady', steady)] }));
    expect(channelOf(numbers, 'Steady')).toMatchObject({ identified: false });
    expect(channelOf(numbers, 'Steady').reasons).toContain('low_variation');
    expect(channelOf(numbers, 'Burst').reasons).toContain('few_active_weeks');
  });

  it('with a target of noise has nothing identified', () => {
    for (const stream of [1, 2]) {
      const random = Random.stream(stream, 'noise target', 0);
      const y = Array.from({ length: 60 }, () => 1000 + 100 * random.normal());
      expect(fit(mixInput(60, { y })).channels.map(({ identified }) => identified)).toEqual([false, false]);
    }
  });

  it('with a channel without effect does not identify it', () => {
    const input = mixInput(60);
    const numbers = fit({ ...input, channels: [...input.channels, mixChannel('Idle', randomSpend(60, 3))] });
    expect(channelOf(numbers, 'Idle').identified).toBe(false);
  });

  it('with missing weeks leaves them out and still tells what they would have been', () => {
    const { y } = mixInput(40);
    const numbers = fit(mixInput(40, { y: y.map((value, t) => (t === 4 || t === 20 ? null : value)) }));
    expect(numbers.n_weeks).toBe(38);
    expect(numbers.weeks).toHaveLength(40);
    expect(numbers.warnings).toEqual(['missing_weeks']);
    expect(numbers.diagnostics.missing_weeks).toEqual(['2023-01-29', '2023-05-21']);
    const week = numbers.weeks[20]!;
    expect(week.observed).toBeNull();
    expect(Math.abs(week.fitted - y[20]!)).toBeLessThan(0.2 * y[20]!);
    const known = numbers.weeks.filter(({ observed }) => observed !== null);
    expectRelative(sum(known.map(({ fitted }) => fitted)), sum(known.map(({ observed }) => observed)));
  });

  it('with an outlier gives that week a term of its own', () => {
    const { y } = mixInput(60);
    const numbers = fit(mixInput(60, { y: y.map((value, t) => (t === 30 ? 3 * value! : value)) }));
    expect(numbers.diagnostics.outlier_weeks).toContain('2023-07-30');
    expect(numbers.diagnostics.outlier_weeks.length).toBeLessThanOrEqual(2);
    expect(channelOf(numbers, 'Search').identified).toBe(true);
  });

  it('with a control that explains the target leaves less to media', () => {
    const random = Random.stream(6, 'control', 0);
    const demand = Array.from({ length: 60 }, () => random.normal());
    const { y } = mixInput(60);
    const moved = y.map((value, t) => value! + 150 * demand[t]!);
    const known = fit(mixInput(60, { y: moved, controls: [{ name: 'demand', values: demand }] }));
    expect(known.r2).toBeGreaterThan(0.9);
    expect(channelOf(known, 'Search').identified).toBe(true);
  });

  it('whose level wanders says that the baseline is not stable', () => {
    const random = Random.stream(6, 'walk', 0);
    let level = 1000;
    const y = Array.from({ length: 60 }, () => (level += 60 * random.normal()) + random.normal());
    const numbers = fit(mixInput(60, { y }));
    expect(numbers.warnings).toContain('unstable_baseline');
    expect(numbers.trust_tier).not.toBe('high');
  });
});
