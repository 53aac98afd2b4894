import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '#apps/mmm-lift/src/prepare/calendar.js';
import { channel, costs, FIRST, newShop, outcomes, prepare, weekly } from '../fixtures/weekly-shop.js';
import { ModelDatabase } from '../fixtures/model-rows.js';

let database: ModelDatabase;
beforeAll(async () => {
  database = await ModelDatabase.open();
});
afterAll(() => database.stop());
beforeEach(() => database.withoutRates());

describe('weeks', () => {
  it('come of days and of weekly rows, of all sources and campaigns', async () => {
    const asset = await newShop(database);
    await asset.costs([
      { date: addDays(FIRST, -6), channel: 'TikTok', cost: '1.25' },
      { date: FIRST, channel: 'TikTok', cost: '2.5', campaign: 'b' },
      { date: FIRST, channel: 'TikTok', cost: '0.1', campaign: 'c', longKey: 'digest' },
      { date: addDays(FIRST, 1), channel: 'TikTok', cost: '4' },
    ]);
    const input = await prepare(asset);
    expect(input).toMatchObject({
      target: 'conversions',
      isCount: true,
      weeks: weekly(14),
      currency: 'EUR',
      conversionValue: null,
      averageOrderValue: null,
      warnings: [],
      seed: 1,
      tests: [],
      controls: [],
    });
    expect(input.y).toEqual([10, 11, 12, 13, 14, 10, 11, 12, 13, 14, 10, 11, 12, 13]);
    expect(input.channels).toEqual([
      {
        slug: 'google_ads',
        name: 'Google Ads',
        family: 'search',
        before: [],
        spend: costs(weekly(14)).map(({ cost }) => cost),
      },
      { slug: 'tiktok', name: 'TikTok', family: 'social', before: [], spend: [3.85, 4, ...weekly(12).map(() => 0)] },
    ]);
  });

  it('without conversions are 0, without any event missing', async () => {
    const asset = await database.newAsset();
    await asset.costs(costs(weekly(20)));
    const days = weekly(20);
    await asset.outcomes([
      ...outcomes(days.slice(0, 5)),
      { day: days[5]!, value: 0, events: 40 },
      ...outcomes(days.slice(8)),
    ]);
    const { y, weeks } = await prepare(asset);
    expect(weeks).toEqual(days);
    expect(y.slice(4, 9)).toEqual([14, 0, null, null, 10]);
  });

  it.each([
    ['UTC', 13],
    ['Pacific/Auckland', 14],
  ])('that are not over in %s are left out', async (timezone, count) => {
    const asset = await newShop(database, { timezone });
    await asset.outcomes(outcomes(weekly(2, 14)));
    // A Sunday evening in UTC.
    const input = await prepare(asset, { now: new Date(`${weekly(1, 13)[0]!}T13:00:00Z`) });
    expect(input.weeks).toEqual(weekly(count));
  });

  it('are those asked for, whole', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(outcomes(weekly(40)));
    await asset.costs(costs(weekly(40)));
    const input = await prepare(asset, { from: addDays(FIRST, 7 * 4), to: addDays(FIRST, 7 * 20 - 3) });
    expect(input.weeks).toEqual(weekly(17, 4));
    expect(channel(input, 'google_ads')?.before).toEqual([100, 101, 102, 100]);
  });

  it('are the latest 260, after 26 of spend', async () => {
    const asset = await database.newAsset();
    const days = weekly(300, -270);
    await asset.outcomes(outcomes(days));
    await asset.costs(costs(days));
    const input = await prepare(asset);
    expect(input.weeks).toEqual(days.slice(40));
    expect(channel(input, 'google_ads')?.before).toEqual(
      days.slice(14, 40).map((_, index) => 100 + ((index + 14) % 3)),
    );
  });

  it('before the window count from the first with a cost row of any channel', async () => {
    const asset = await newShop(database);
    await asset.costs([
      { date: weekly(1, -60)[0]!, channel: 'Google Ads', cost: 9 },
      { date: weekly(1, -3)[0]!, channel: 'TikTok', cost: 5 },
      { date: weekly(1, 3)[0]!, channel: 'TikTok', cost: 6 },
      { date: weekly(1, -1)[0]!, channel: 'Radio', cost: 7 },
    ]);
    const input = await prepare(asset);
    expect(input.channels.map(({ slug, before }) => [slug, before])).toEqual([
      ['google_ads', [0, 0, 0]],
      ['tiktok', [5, 0, 0]],
    ]);
  });
});

describe('what can not be modelled', () => {
  const failure = (code: string, extensions: Record<string, unknown> = {}) => ({
    name: 'RunFailure',
    code,
    extensions,
  });

  it('without the target', async () => {
    const asset = await newShop(database);
    for (const target of ['revenue', 'goal:signup'])
      await expect(prepare(asset, { target })).rejects.toMatchObject(failure('target_unavailable'));
    const empty = await database.newAsset();
    await empty.costs(costs(weekly(14)));
    await expect(prepare(empty)).rejects.toMatchObject(failure('target_unavailable'));
  });

  it('without spend in a week whose outcome is known', async () => {
    const asset = await database.newAsset();
    await asset.outcomes([...outcomes(weekly(14)), ...outcomes(weekly(14, 15))]);
    await expect(prepare(asset)).rejects.toMatchObject(failure('no_cost'));
    await asset.costs([...costs(weekly(5), { cost: 0 }), ...costs(weekly(5, -10)), ...costs(weekly(1, 14))]);
    await expect(prepare(asset)).rejects.toMatchObject(failure('no_cost'));
  });

  it.each([
    [11, 30, 11],
    [30, 11, 11],
    [40, 0, 0],
  ])('with %i weeks of outcome and %i of costs', async (ofOutcome, ofCosts, have) => {
    const asset = await database.newAsset();
    await asset.outcomes(outcomes(weekly(ofOutcome)));
    await asset.costs(costs(weekly(ofCosts)));
    await expect(prepare(asset)).rejects.toMatchObject(
      ofCosts === 0 ? failure('no_cost') : failure('not_enough_weeks', { have, need: 12 }),
    );
  });

  it('with a target of the current week alone', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(outcomes(['2026-12-30']));
    await asset.costs(costs(['2026-12-30']));
    await expect(prepare(asset)).rejects.toMatchObject(failure('not_enough_weeks', { have: 0, need: 12 }));
  });

  it('but with 12 weeks it can', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(outcomes(weekly(30)));
    // Pulses: the weeks between them are known to be without spend.
    await asset.costs(costs([weekly(1, 3)[0]!, weekly(1, 14)[0]!]));
    expect((await prepare(asset)).weeks).toHaveLength(30);
  });
});

describe('channels', () => {
  it('merge under their most frequent spelling, in the family of the mapping', async () => {
    const asset = await newShop(database);
    await asset.costs([
      ...costs(weekly(8), { channel: 'google', cost: 1 }),
      ...costs(weekly(8), { channel: 'ADWORDS', cost: 1 }),
      ...costs(weekly(8), { channel: 'carrier-pigeon', cost: 1 }),
      ...costs(weekly(8), { channel: 'Carrier Pigeon', cost: 1 }),
      ...costs(weekly(1, 9), { channel: 'Carrier Pigeon', cost: 1 }),
      ...costs(weekly(2), { channel: '§§', cost: 1 }),
    ]);
    await asset.mapping('Carrier pigeon', 'direct_mail');
    await asset.mapping('adwords', 'video');
    const input = await prepare(asset);
    expect(input.channels.map(({ slug, name, family }) => [slug, name, family])).toEqual([
      ['carrier_pigeon', 'Carrier Pigeon', 'direct_mail'],
      ['google_ads', 'Google Ads', 'video'],
      ['§§', '§§', 'other'],
    ]);
    expect(channel(input, 'carrier_pigeon')?.spend.slice(0, 10)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 0, 1]);
  });

  it('are pooled by family above 30, tested ones last', async () => {
    const asset = await newShop(database);
    await asset.costs(
      Array.from({ length: 33 }, (_, index) => ({
        date: FIRST,
        channel: `${index % 2 === 0 ? 'Radio' : 'Podcast'} ${index}`,
        cost: 100 - index,
      })),
    );
    const { channels } = await prepare(asset);
    expect(channels).toHaveLength(30);
    expect(channels.map(({ name }) => name).filter((name) => name.endsWith('(pooled)'))).toEqual([
      'podcast (pooled)',
      'radio (pooled)',
    ]);
    expect(channels.reduce((sum, { spend }) => sum + spend[0]!, 0)).toBe(100 + 33 * 100 - 16 * 33);
  });

  it('warn of dates that look like the first day of a week', async () => {
    const wave = (index: number): number => Math.round(100 + 80 * Math.sin(index * 12.9898) * Math.sin(index * 78.233));
    const asset = await database.newAsset();
    const days = weekly(60, -30);
    await asset.outcomes(days.map((day, index) => ({ day, value: 500 + 2 * wave(index) })));
    await asset.costs(days.map((date, index) => ({ date, channel: 'TV', cost: wave(index + 1) })));
    expect((await prepare(asset)).warnings).toEqual(['maybe_week_start']);
    // The same as days says nothing of weeks.
    await asset.costs([{ date: addDays(FIRST, -2), channel: 'TV', cost: 1 }]);
    expect((await prepare(asset)).warnings).toEqual([]);
  });
});
