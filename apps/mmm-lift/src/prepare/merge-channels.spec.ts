import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { channelMapping } from '#contracts/channels/classify-channel.js';
import type { CostWeek } from './cost-weeks.js';
import { mergeChannels } from './merge-channels.js';

const NO_MAPPING = channelMapping([]);

function row(channel: string, rest: Partial<CostWeek> = {}): CostWeek {
  const day = rest.weekEnd ?? '2026-03-08';
  return {
    channel,
    currency: 'EUR',
    weekEnd: day,
    spend: '1',
    rows: 1,
    firstDay: day,
    lastDay: day,
    unrated: 0,
    ...rest,
  };
}

describe('mergeChannels', () => {
  it('joins the names of a platform under the most frequent spelling', () => {
    const [channel, ...others] = mergeChannels(
      [row('google', { spend: '0.1' }), row('ADWORDS', { spend: '0.2', rows: 7 }), row('Google Ads', { rows: 7 })],
      NO_MAPPING,
    );
    expect(others).toEqual([]);
    expect(channel).toMatchObject({ slug: 'google_ads', name: 'ADWORDS', family: 'search' });
    expect(channel?.spend).toEqual(new Map([['2026-03-08', 1_300_000n]]));
  });

  it('never joins what merely holds the name of a platform', () => {
    const channels = mergeChannels([row('Google 2026'), row('google'), row('!!'), row('§§')], NO_MAPPING);
    expect(channels.map(({ slug }) => slug)).toEqual(['!!', 'google_2026', 'google_ads', '§§']);
  });

  it('takes the family from whichever spelling is mapped', () => {
    const mapping = channelMapping([{ name: 'adwords', family: 'video' }]);
    expect(mergeChannels([row('google', { rows: 5 }), row('AdWords')], mapping)[0]).toMatchObject({
      name: 'google',
      family: 'video',
    });
  });

  it('tells weekly rows from daily ones', () => {
    const weekly = (days: [string, string][]): boolean | undefined =>
      mergeChannels(
        days.map(([firstDay, lastDay], index) => row('tv', { weekEnd: `2026-03-0${index + 1}`, firstDay, lastDay })),
        NO_MAPPING,
      )[0]?.weekly;
    expect(
      weekly([
        ['2026-03-02', '2026-03-02'],
        ['2026-03-09', '2026-03-09'],
      ]),
    ).toBe(true);
    expect(
      weekly([
        ['2026-03-02', '2026-03-03'],
        ['2026-03-09', '2026-03-09'],
      ]),
    ).toBe(false);
    expect(weekly([['2026-03-02', '2026-03-02']])).toBe(false);
  });

  it('gives the same whatever the order of rows', () => {
    const cost = fc.record({
      channel: fc.constantFrom('google', 'Adwords', 'TV', 'tv', 'Radio', 'radio!'),
      weekEnd: fc.constantFrom('2026-03-08', '2026-03-15'),
      spend: fc.integer({ min: 0, max: 9_999_999 }).map((amount) => `${Math.floor(amount / 1000)}.${amount % 1000}`),
      rows: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(
        fc
          .array(cost, { maxLength: 12 })
          .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
        ([rows, shuffled]) => {
          const merge = (some: typeof rows) =>
            mergeChannels(
              some.map((one) => row(one.channel, one)),
              NO_MAPPING,
            );
          expect(merge(shuffled)).toEqual(merge(rows));
        },
      ),
    );
  });
});
