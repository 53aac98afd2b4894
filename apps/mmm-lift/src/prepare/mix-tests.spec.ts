import { describe, expect, it } from '@jest/globals';
import { addDays, sundaysFromTo } from './calendar.js';
import { mixTests, testedChannel, type FinishedTest, type TestedDay } from './mix-tests.js';

const WEEKS = sundaysFromTo('2026-03-01', '2026-05-31');
const RUN = { weeks: WEEKS, currency: 'EUR', isCount: true };
const TV = { slug: 'tv', spend: WEEKS.map(() => 70) };

/** Two weeks from a Monday, of 70 in all. */
function finished(rest: Partial<FinishedTest> = {}): FinishedTest {
  return {
    ...{ testId: 'a', channels: ['TV'], currency: 'EUR', testTo: '2026-03-22', tailDays: 0, spendTotal: 70 },
    ...{ liftTotal: 35, liftLo: 0, liftHi: 65.8 },
    ...rest,
  };
}

function daily(rest: Partial<TestedDay> = {}, from = '2026-03-09', days = 14): TestedDay[] {
  return Array.from({ length: days }, (_, day) => ({
    ...{ testId: 'a', day: addDays(from, day), spent: '5', converted: '5' },
    ...rest,
  }));
}

describe('mixTests', () => {
  it('gives the return per unit of spend and the share of the channel that was tested', () => {
    const { tests, warnings } = mixTests([finished()], daily(), [TV], RUN);
    expect(warnings).toEqual([]);
    expect(tests).toMatchObject([{ testId: 'a', channel: 'tv', from: 2, to: 3, value: 0.5 }]);
    expect(tests[0]?.se).toBeCloseTo(20 / 70, 12);
    expect(tests[0]?.tested).toEqual(WEEKS.map((_, week) => (week === 2 || week === 3 ? 0.5 : 0)));
  });

  it.each([
    [1, 4],
    [7, 4],
    [8, 5],
    [60, 12],
    [90, 13],
  ])('of a tail of %i days ends in week %i', (tailDays, to) => {
    expect(mixTests([finished({ tailDays })], daily(), [TV], RUN).tests[0]?.to).toBe(to);
  });

  it('takes spend above that of the channel for all of it', () => {
    const without = { slug: 'tv', spend: WEEKS.map((_, week) => (week === 3 ? 0 : 30)) };
    const { tests, warnings } = mixTests([finished()], daily(), [without], RUN);
    expect(warnings).toEqual(['test_spend_exceeds_channel']);
    expect(tests[0]?.tested.slice(1, 5)).toEqual([0, 1, 1, 0]);
    const none = { slug: 'tv', spend: WEEKS.map((_, week) => (week > 5 ? 30 : 0)) };
    expect(mixTests([finished()], daily(), [none], RUN).tests).toEqual([]);
  });

  it('does not mind what doubles lose', () => {
    const spent = daily({ spent: '10.000001' });
    const { warnings } = mixTests([finished()], spent, [{ slug: 'tv', spend: WEEKS.map(() => 70.000007) }], RUN);
    expect(warnings).toEqual([]);
  });

  it('leaves out tests without an interval, and those that mostly lie outside', () => {
    expect(mixTests([finished({ liftHi: 0 })], daily(), [TV], RUN).tests).toEqual([]);
    expect(mixTests([finished()], daily({}, '2026-02-16'), [TV], RUN).tests).toEqual([]);
    expect(mixTests([finished()], daily({}, '2026-02-17'), [TV], RUN).tests).toHaveLength(1);
    expect(mixTests([finished()], [], [TV], RUN).tests).toEqual([]);
    expect(mixTests([finished({ channels: ['Radio'] })], daily(), [TV], RUN).tests).toEqual([]);
    expect(mixTests([finished()], daily(), [TV], { ...RUN, weeks: [] }).tests).toEqual([]);
  });

  it('compares money of one currency', () => {
    const dollars = [finished({ currency: 'USD' })];
    const halves = daily({ converted: '2.5' });
    expect(mixTests(dollars, halves, [TV], RUN).tests).toMatchObject([{ value: 1 }]);
    expect(mixTests(dollars, halves, [TV], RUN).tests[0]?.tested[2]).toBe(0.25);
    // Money per money: both change alike.
    expect(mixTests(dollars, halves, [TV], { ...RUN, isCount: false }).tests).toMatchObject([{ value: 0.5 }]);
    expect(mixTests(dollars, daily({ converted: null }), [TV], RUN)).toEqual({
      tests: [],
      warnings: ['test_currency'],
    });
  });

  it('stands in the order of channels, weeks and ids', () => {
    const radio = { slug: 'radio', spend: WEEKS.map(() => 70) };
    const tests = [finished({ testId: 'b' }), finished(), finished({ testId: 'c', channels: ['Radio'] })];
    const days = [...daily({ testId: 'b' }), ...daily(), ...daily({ testId: 'c' })];
    for (const some of [tests, [...tests].reverse()])
      expect(mixTests(some, days, [TV, radio], RUN).tests.map(({ testId }) => testId)).toEqual(['c', 'a', 'b']);
  });
});

describe('testedChannel', () => {
  it('is the only one, under all its names', () => {
    expect(testedChannel({ channels: ['google', 'Google Ads'] })).toBe('google_ads');
    expect(testedChannel({ channels: ['google', 'TV'] })).toBeUndefined();
  });
});
