import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { millionths } from './millionths.js';
import { isWeekly, spreadCosts } from './weekly-spread.js';

const row = (day: string, spend: string, channel = 'tv', currency = 'EUR') => ({ channel, day, currency, spend });
const evenly = (): number => 0;
const spends = (costs: { day: string; spend: string }[]) => costs.map(({ day, spend }) => `${day} ${spend}`);

describe('isWeekly', () => {
  it.each([
    ['Sundays in a row', ['2026-09-06', '2026-09-13', '2026-09-20'], true],
    ['in any order and twice', ['2026-09-20', '2026-09-13', '2026-09-13', '2026-09-27'], true],
    ['Mondays with a week off', ['2026-09-07', '2026-09-14', '2026-09-28'], true],
    ['one row', ['2026-09-06'], false],
    ['nothing', [], false],
    ['days in a row', ['2026-09-06', '2026-09-07'], false],
    ['a stray day among weeks', ['2026-09-06', '2026-09-13', '2026-09-15'], false],
    ['every other week', ['2026-09-06', '2026-09-20'], false],
    ['over a change of clocks', ['2026-10-18', '2026-10-25', '2026-11-01'], true],
  ])('%s', (_, days, weekly) => {
    expect(isWeekly(days)).toBe(weekly);
  });
});

describe('spreadCosts', () => {
  it('leaves daily costs where they are, summed over sources and campaigns', () => {
    const costs = [row('2026-09-07', '1.10'), row('2026-09-08', '2'), row('2026-09-07', '0.000001')];
    expect(spends(spreadCosts(costs, 'auto', evenly))).toEqual(['2026-09-07 1.100001', '2026-09-08 2.00']);
  });

  it('spreads a week from Monday to Sunday, whichever of its days the row names', () => {
    for (const day of ['2026-09-07', '2026-09-10', '2026-09-13']) {
      const spread = spreadCosts([row(day, '70')], 'weekly', evenly);
      expect(spread.map((cost) => cost.day)).toEqual(
        [7, 8, 9, 10, 11, 12, 13].map((n) => `2026-09-${String(n).padStart(2, '0')}`),
      );
      expect(new Set(spread.map(({ spend }) => spend))).toEqual(new Set(['10.00']));
    }
  });

  it('gives the millionths that are left to the largest remainders, then to the earliest days', () => {
    expect(spends(spreadCosts([row('2026-09-13', '100')], 'weekly', evenly)).slice(0, 7)).toEqual([
      '2026-09-07 14.285715',
      '2026-09-08 14.285715',
      '2026-09-09 14.285714',
      '2026-09-10 14.285714',
      '2026-09-11 14.285714',
      '2026-09-12 14.285714',
      '2026-09-13 14.285714',
    ]);
    const weights = new Map([
      ['2026-09-08', 1],
      ['2026-09-12', 2],
    ]);
    // 0.333333… and 0.666666…: the larger remainder is that of the twelfth.
    expect(spends(spreadCosts([row('2026-09-13', '1')], 'weekly', (_, day) => weights.get(day) ?? 0))).toEqual([
      '2026-09-08 0.333333',
      '2026-09-12 0.666667',
    ]);
  });

  it('decides by channel, and can be told', () => {
    const costs = [row('2026-09-06', '7'), row('2026-09-13', '7'), row('2026-09-13', '3', 'radio')];
    expect(spreadCosts(costs, 'auto', evenly)).toHaveLength(15);
    expect(spreadCosts(costs, 'daily', evenly)).toHaveLength(3);
    expect(spreadCosts(costs, 'weekly', evenly)).toHaveLength(21);
  });

  it('keeps currencies apart and leaves out days without spend', () => {
    const costs = [row('2026-09-13', '1', 'tv', 'USD'), row('2026-09-13', '2'), row('2026-09-14', '0')];
    expect(spreadCosts(costs, 'daily', evenly)).toEqual([
      row('2026-09-13', '2.00'),
      row('2026-09-13', '1.00', 'tv', 'USD'),
    ]);
  });

  it('spends exactly what was spent, each part within a millionth of its share', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 21n }), weights, (amount, sessions) => {
        const spend = `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`;
        const weight = (_: string, day: string): number => sessions[Number(day.slice(-2)) - 7] ?? 0;
        const spread = spreadCosts([row('2026-09-13', spend)], 'weekly', weight);
        expect(spread.reduce((sum, cost) => sum + millionths(cost.spend), 0n)).toBe(amount);
        const total = BigInt(sessions.reduce((a, b) => a + b, 0));
        for (const cost of spread) {
          const share = total === 0n ? amount * 1n : amount * BigInt(weight('', cost.day));
          const off = millionths(cost.spend) * (total === 0n ? 7n : total) - share;
          expect((off < 0n ? -off : off) < (total === 0n ? 7n : total)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what is no amount', () => {
    expect(() => spreadCosts([row('2026-09-13', '-1')], 'daily', evenly)).toThrow(TypeError);
    expect(() => spreadCosts([row('2026-09-13', '0.1234567')], 'daily', evenly)).toThrow(TypeError);
  });
});
