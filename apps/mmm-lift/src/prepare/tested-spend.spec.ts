import { describe, expect, it } from '@jest/globals';
import { isSpendKnown, spentOf, type ChannelDay } from './tested-spend.js';

const TEST = {
  ...{ channels: ['Meta'], campaigns: [], spend: null, geo_level: null },
  ...{ test_from: '2026-06-03', test_to: '2026-06-09' },
};

function costs(days: readonly [day: string, spend: string | null][], channel = 'Meta'): ChannelDay[] {
  return days.map(([day, spend]) => ({ channel, day, currency: 'EUR', spend }));
}

describe('spentOf', () => {
  it('takes daily rows as they are', () => {
    const rows = costs([
      ['2026-06-02', '9'],
      ['2026-06-04', '1.5'],
      ['2026-06-09', '2'],
      ['2026-06-10', '9'],
    ]);
    expect(spentOf(rows, TEST)).toEqual([
      { day: '2026-06-04', currency: 'EUR', amount: 1_500_000n },
      { day: '2026-06-09', currency: 'EUR', amount: 2_000_000n },
    ]);
  });

  it('spreads weekly rows, also when those of other campaigns show that they are', () => {
    const spent = spentOf(
      costs([
        ['2026-05-31', null],
        ['2026-06-07', '70'],
      ]),
      TEST,
    );
    expect(spent?.map(({ day, amount }) => [day, amount])).toEqual(
      ['03', '04', '05', '06', '07'].map((day) => [`2026-06-${day}`, 10_000_000n]),
    );
  });

  it('adds up spellings and channels, and keeps currencies apart', () => {
    const rows = [
      ...costs([['2026-06-04', '1']]),
      ...costs(
        [
          ['2026-06-04', '2'],
          ['2026-06-05', '2'],
        ],
        'facebook',
      ),
      ...costs([['2026-06-04', '4']], 'TV'),
      { channel: 'TV', day: '2026-06-04', currency: 'USD', spend: '8' },
    ];
    expect(spentOf(rows, TEST)?.map(({ currency, amount }) => [currency, amount])).toEqual([
      ['EUR', 7_000_000n],
      ['USD', 8_000_000n],
      ['EUR', 2_000_000n],
    ]);
  });

  it('does not know the spend of campaigns that never cost anything', () => {
    expect(spentOf([], TEST)).toBeNull();
    expect(spentOf(costs([['2026-06-04', null]]), TEST)).toBeNull();
    expect(spentOf(costs([['2026-01-04', '3']]), TEST)).toEqual([]);
  });
});

describe('isSpendKnown', () => {
  it('needs an amount, campaigns or the whole market', () => {
    const ofPlaces = { ...TEST, geo_level: 'city' as const };
    expect(isSpendKnown(TEST)).toBe(true);
    expect(isSpendKnown(ofPlaces)).toBe(false);
    expect(isSpendKnown({ ...ofPlaces, campaigns: ['a'] })).toBe(true);
    expect(isSpendKnown({ ...ofPlaces, spend: { amount: '1', currency: 'EUR' } })).toBe(true);
  });
});
