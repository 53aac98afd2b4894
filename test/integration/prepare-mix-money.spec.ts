import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '#apps/mmm-lift/src/prepare/calendar.js';
import { inputHash } from '#apps/mmm-lift/src/prepare/input-hash.js';
import { channel, costs, FIRST, newShop, prepare, revenue, weekly } from '../fixtures/weekly-shop.js';
import { ModelDatabase } from '../fixtures/model-rows.js';

let database: ModelDatabase;
beforeAll(async () => {
  database = await ModelDatabase.open();
});
afterAll(() => database.stop());
beforeEach(() => database.withoutRates());

describe('money', () => {
  it('of one currency is left as it is, whatever the asset has', async () => {
    const asset = await newShop(database, {}, { currency: 'USD' });
    await asset.costs([{ date: FIRST, channel: 'Radio', cost: 0, currency: 'CHF' }]);
    expect(await prepare(asset)).toMatchObject({ currency: 'USD', conversionValue: null, warnings: [] });
  });

  it('of several is converted by day', async () => {
    const asset = await newShop(database);
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
    const asset = await newShop(database);
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
    const asset = await newShop(database, {}, { currency: 'USD' });
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
    const asset = await newShop(database, {}, { currency: 'USD' });
    await asset.modeling('asset_setting', [{ conversion_value: '30' }]);
    expect(await prepare(asset)).toMatchObject({ conversionValue: null, warnings: ['conversion_value_currency'] });
    await database.rates(weekly(14).map((day) => ['USD', day, '0.75']));
    expect(await prepare(asset)).toMatchObject({ conversionValue: 40, currency: 'USD', warnings: [] });
    const home = await newShop(database);
    await home.modeling('asset_setting', [{ conversion_value: '30.5' }]);
    expect(await prepare(home)).toMatchObject({ conversionValue: 30.5, currency: 'EUR' });
  });
});

describe('controls', () => {
  it('cover every week or fail the run', async () => {
    const asset = await newShop(database);
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
    const asset = await newShop(database);
    await asset.outcomes(weekly(12, 1).map((day, index) => ({ day, target: 'goal:sign up', value: index })));
    const input = await prepare(asset, { target: 'goal:sign up' });
    expect(input.weeks).toEqual(weekly(12, 1));
    expect(input.y).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(channel(input, 'google_ads')?.before).toEqual([100]);
  });
});
