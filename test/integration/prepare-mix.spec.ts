import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { addDays } from '#apps/mmm-lift/src/prepare/calendar.js';
import { inputHash } from '#apps/mmm-lift/src/prepare/input-hash.js';
import { prepareMix } from '#apps/mmm-lift/src/prepare/prepare-mix.js';
import { ModelDatabase, type Cost, type ModelRows, type Outcome } from '../fixtures/model-rows.js';

/** A Sunday. */
const FIRST = '2026-01-11';
const NOW = new Date('2026-12-31T12:00:00Z');

let database: ModelDatabase;
beforeAll(async () => {
  database = await ModelDatabase.open();
});
afterAll(() => database.stop());
beforeEach(() => database.withoutRates());

function weekly(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, week) => addDays(FIRST, 7 * (from + week)));
}

function outcomes(days: readonly string[], rest: Partial<Outcome> = {}): Outcome[] {
  return days.map((day, index) => ({ day, value: 10 + (index % 5), events: 100, ...rest }));
}

function revenue(days: readonly string[], rest: Partial<Outcome> = {}): Outcome[] {
  return days.map((day, index) => ({ day, target: 'revenue', value: `${500 + index}.5`, currency: 'EUR', ...rest }));
}

function costs(days: readonly string[], rest: Partial<Cost> = {}): Cost[] {
  return days.map((date, index) => ({ date, channel: 'Google Ads', cost: 100 + (index % 3), ...rest }));
}

function prepare(asset: ModelRows, options: Partial<Parameters<typeof prepareMix>[1]> = {}): Promise<MixInput> {
  const run = { assetId: asset.assetId, target: 'conversions', from: null, to: null, seed: 1, now: NOW, ...options };
  return prepareMix(asset.read, run);
}

/** An asset with 14 weeks of conversions and of costs of one channel. */
async function shop(
  options: { currency?: string; timezone?: string } = {},
  cost: Partial<Cost> = {},
): Promise<ModelRows> {
  const asset = await database.newAsset(options);
  await asset.outcomes(outcomes(weekly(14)));
  await asset.costs(costs(weekly(14), cost));
  return asset;
}

const channel = (input: MixInput, slug: string) => input.channels.find((one) => one.slug === slug);

describe('weeks', () => {
  it('come of days and of weekly rows, of all sources and campaigns', async () => {
    const asset = await shop();
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
    const asset = await shop({ timezone });
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
    const asset = await shop();
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
    const asset = await shop();
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
    const asset = await shop();
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
    const asset = await shop();
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

describe('money', () => {
  it('of one currency is left as it is, whatever the asset has', async () => {
    const asset = await shop({}, { currency: 'USD' });
    await asset.costs([{ date: FIRST, channel: 'Radio', cost: 0, currency: 'CHF' }]);
    expect(await prepare(asset)).toMatchObject({ currency: 'USD', conversionValue: null, warnings: [] });
  });

  it('of several is converted by day', async () => {
    const asset = await shop();
    const days = weekly(14);
    await asset.costs(costs(days.slice(0, 2), { channel: 'TikTok', cost: '10.01', currency: 'USD' }));
    await database.rates([
      ['USD', days[0]!, '0.8'],
      ['USD', days[1]!, '0.9'],
    ]);
    // The asset's currency has no rows: the rates are in it.
    const input = await prepare(asset);
    expect(input.currency).toBe('EUR');
    expect(channel(input, 'tiktok')?.spend.slice(0, 2)).toEqual([8.008, 9.009]);
    await database.rates([
      ['EUR', days[0]!, '1.6'],
      ['EUR', days[1]!, '1.8'],
      ['USD', days[1]!, '1'],
    ]);
    await expect(prepare(asset)).resolves.toMatchObject({ currency: 'EUR' });
    expect(channel(await prepare(asset), 'tiktok')?.spend.slice(0, 2)).toEqual([5.005, 5.561111]);
  });

  it('needs a rate of every day in window and burn-in', async () => {
    const asset = await shop();
    const days = weekly(14);
    await asset.costs([
      ...costs(weekly(1, -2), { channel: 'TikTok', currency: 'USD' }),
      ...costs(days.slice(0, 3), { channel: 'TikTok', currency: 'USD' }),
      ...costs(weekly(1, -40), { channel: 'TikTok', currency: 'CHF' }),
      ...costs(weekly(1, 20), { channel: 'TikTok', currency: 'CHF' }),
    ]);
    await database.rates([['USD', days[1]!, '0.8']]);
    await expect(prepare(asset)).rejects.toMatchObject({
      code: 'mixed_currency',
      extensions: { channel: 'TikTok', currency: 'USD', rows: 3 },
    });
    await database.rates([weekly(1, -2)[0]!, days[0]!, days[2]!].map((day) => ['USD', day, '0.8']));
    await expect(prepare(asset)).resolves.toMatchObject({ currency: 'EUR' });
  });

  it('of revenue counts too', async () => {
    const asset = await shop({}, { currency: 'USD' });
    const days = weekly(14);
    await asset.outcomes([...revenue(days), { day: days[1]!, target: 'revenue', value: '-1000', currency: 'GBP' }]);
    await expect(prepare(asset, { target: 'revenue' })).rejects.toMatchObject({
      code: 'mixed_currency',
      extensions: { channel: 'Google Ads', currency: 'USD', rows: 14 },
    });
    await database.rates(days.map((day) => ['USD', day, '0.5']));
    await database.rates(days.map((day) => ['EUR', day, '1']));
    await expect(prepare(asset, { target: 'revenue' })).rejects.toMatchObject({
      code: 'mixed_currency',
      extensions: { channel: null, currency: 'GBP', rows: 1 },
    });
    await database.rates([['GBP', days[1]!, '1.2']]);
    const input = await prepare(asset, { target: 'revenue' });
    expect(input).toMatchObject({ currency: 'EUR', isCount: false, conversionValue: null });
    expect(input.y.slice(0, 3)).toEqual([500.5, 501.5 - 1200, 502.5]);
    expect(channel(input, 'google_ads')?.spend.slice(0, 3)).toEqual([50, 50.5, 51]);
    const sum = input.y.reduce<number>((total, one) => total + (one ?? 0), 0);
    expect(input.averageOrderValue).toBeCloseTo(sum / (3 * 60 - 14), 10);
  });

  it('converts the value of a conversion, or warns', async () => {
    const asset = await shop({}, { currency: 'USD' });
    await asset.modeling('asset_setting', [{ conversion_value: '30' }]);
    expect(await prepare(asset)).toMatchObject({ conversionValue: null, warnings: ['conversion_value_currency'] });
    await database.rates(weekly(14).map((day) => ['USD', day, '0.75']));
    expect(await prepare(asset)).toMatchObject({ conversionValue: 40, currency: 'USD', warnings: [] });
    const home = await shop();
    await home.modeling('asset_setting', [{ conversion_value: '30.5' }]);
    expect(await prepare(home)).toMatchObject({ conversionValue: 30.5, currency: 'EUR' });
  });
});

describe('controls', () => {
  it('cover every week or fail the run', async () => {
    const asset = await shop();
    const days = weekly(14);
    await asset.modeling(
      'control',
      days.flatMap((week_end, index) => [
        { name: 'price', week_end, value: index / 8 },
        { name: 'Holidays', week_end: addDays(week_end, -6), value: -index },
      ]),
    );
    expect((await prepare(asset)).controls).toEqual([
      { name: 'Holidays', values: days.map((_, index) => 0 - index) },
      { name: 'price', values: days.map((_, index) => index / 8) },
    ]);
    await asset.modeling('control', [{ name: 'rain', week_end: days[0], value: 1 }]);
    await expect(prepare(asset)).rejects.toMatchObject({
      code: 'control_gap',
      extensions: { control: 'rain', week_end: days[1] },
    });
  });
});

describe('lift tests', () => {
  interface Tested {
    metric?: string;
    channels?: string[];
    tier?: string;
    status?: string;
    from: string;
    days?: number;
    tail?: number;
    perDay?: number | null;
    currency?: string;
  }

  async function lift(asset: ModelRows, test: Tested): Promise<string> {
    const testId = randomUUID();
    const { from, days = 14, tail = 0, perDay = 5, tier = 'low', metric = 'conversions' } = test;
    const to = addDays(from, days - 1);
    const { channels = ['google'], status = 'succeeded', currency = 'EUR' } = test;
    const shared = { test_id: testId, test_from: from };
    const request = '{}';
    await asset.modeling('lift_test', [
      { ...shared, name: 'x', metric, channels, request, status, not_before: NOW, window_to: addDays(to, tail) },
    ]);
    await asset.modeling('lift_result', [
      {
        ...shared,
        ...{ model_version: '1', method: 'own_history', pre_from: addDays(from, -90), pre_to: addDays(from, -1) },
        ...{ test_to: to, n_days: days + tail, tail_days: tail, trust_tier: tier, treated: [], n_controls: 0 },
        ...{ observed_total: 1, counterfactual_total: 1, lift_total: 35, lift_lo: 0, lift_hi: 65.8, p_value: 0.1 },
        ...{ calibration_factor: 1, confidence_level: 0.9, warnings: [], diagnostics: '{}', generated: NOW, currency },
        spend_window: perDay === null ? null : perDay * days,
      },
    ]);
    await asset.modeling(
      'lift_day',
      Array.from({ length: days + tail }, (_, day) => ({
        ...{ test_id: testId, day: addDays(from, day), counterfactual: 1, cf_lo: 0, cf_hi: 2 },
        spend_window: perDay === null ? null : perDay * Math.min(day + 1, days),
      })),
    );
    return testId;
  }

  it('of one channel calibrate it', async () => {
    const asset = await shop();
    const testId = await lift(asset, { from: addDays(FIRST, 7 * 4 - 3), days: 14, tail: 8 });
    const input = await prepare(asset);
    // Four days of week 4, seven of week 5, three of week 6; the tail touches two more.
    expect(input.tests).toEqual([
      {
        testId,
        channel: 'google_ads',
        from: 4,
        to: 8,
        tested: weekly(14).map((_, week) => ({ 4: 20 / 101, 5: 35 / 102, 6: 15 / 100 })[week] ?? 0),
        value: 0.5,
        se: 65.8 / 3.29 / 70,
      },
    ]);
    expect(input.warnings).toEqual([]);
  });

  it('are left out when they tell nothing of one channel in the window', async () => {
    const asset = await shop();
    const inside = addDays(FIRST, 7 * 5 - 6);
    await lift(asset, { from: inside, channels: ['google', 'tiktok'] });
    await lift(asset, { from: inside, channels: ['tiktok'] });
    await lift(asset, { from: inside, perDay: null });
    await lift(asset, { from: inside, perDay: 0 });
    await lift(asset, { from: inside, tier: 'insufficient' });
    await lift(asset, { from: inside, status: 'failed' });
    await lift(asset, { from: inside, metric: 'revenue' });
    await lift(asset, { from: addDays(FIRST, -40) });
    await lift(asset, { from: addDays(FIRST, 7 * 14) });
    expect((await prepare(asset)).tests).toEqual([]);
    await lift(asset, { from: inside, channels: ['google', 'Google Ads'] });
    await lift(asset, { from: addDays(FIRST, -9), days: 21, tail: 60 });
    expect((await prepare(asset)).tests).toMatchObject([
      { from: 0, to: 11 },
      { from: 5, to: 6 },
    ]);
  });

  it('can not have spent more than their channel', async () => {
    const asset = await shop();
    await lift(asset, { from: addDays(FIRST, 1), perDay: 20 });
    const input = await prepare(asset);
    expect(input.tests[0]?.tested.slice(0, 4)).toEqual([0, 1, 1, 0]);
    expect(input.warnings).toEqual(['test_spend_exceeds_channel']);
  });

  it('in another currency are converted, or left out', async () => {
    const asset = await shop();
    await lift(asset, { from: addDays(FIRST, 1), currency: 'USD' });
    expect(await prepare(asset)).toMatchObject({ tests: [], warnings: ['test_currency'] });
    await database.rates(Array.from({ length: 14 }, (_, day) => ['USD', addDays(FIRST, 1 + day), '0.5']));
    const input = await prepare(asset);
    expect(input).toMatchObject({ tests: [{ value: 1, se: 65.8 / 3.29 / 35 }], warnings: [] });
    expect(input.tests[0]?.tested[1]).toBe(17.5 / 101);
  });
});

describe('the same rows', () => {
  it('give the same bytes in whatever order they come', async () => {
    const [one, other] = [await database.newAsset(), await database.newAsset()];
    const days = Array.from({ length: 100 }, (_, day) => addDays(FIRST, day));
    const spent = days.flatMap((date, day) =>
      ['Meta', 'meta ads', 'google', 'Radio', 'radio'].flatMap((name, index) => [
        { date, channel: name, cost: `${day % 7}.${index}3`, campaign: 'a' },
        { date, channel: name, cost: '0.1', campaign: 'b', currency: day % 2 === 0 ? 'EUR' : 'USD' },
      ]),
    );
    const sold = days.flatMap((day, index) =>
      ['DE', 'FR', 'US'].flatMap((country) => [
        { day, place: [country], value: index % 4, events: 3 },
        { day, place: [country], target: 'revenue', value: `${index}.77`, currency: 'EUR' },
      ]),
    );
    await database.rates(days.map((day, index) => ['USD', day, `0.${70 + (index % 20)}1`]));
    await one.costs(spent);
    await one.outcomes(sold);
    await other.outcomes([...sold].reverse());
    for (const row of [...spent].reverse()) await other.costs([row]);
    for (const target of ['conversions', 'revenue']) {
      const inputs = [await prepare(one, { target }), await prepare(other, { target })] as const;
      expect(JSON.stringify(inputs[0])).toBe(JSON.stringify(inputs[1]));
      expect(inputHash(inputs[0])).toBe(inputHash(inputs[1]));
      expect(inputHash(inputs[0])).not.toBe(inputHash({ ...inputs[0], seed: 2 }));
    }
  });

  it('of goals are their own', async () => {
    const asset = await shop();
    await asset.outcomes(weekly(12, 1).map((day, index) => ({ day, target: 'goal:sign up', value: index })));
    const input = await prepare(asset, { target: 'goal:sign up' });
    expect(input.weeks).toEqual(weekly(12, 1));
    expect(input.y).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(channel(input, 'google_ads')?.before).toEqual([100]);
  });
});
