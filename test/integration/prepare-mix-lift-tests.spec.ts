import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '#apps/mmm-lift/src/prepare/calendar.js';
import { FIRST, NOW, newShop, prepare, weekly } from '../fixtures/weekly-shop.js';
import { ModelDatabase, type ModelRows } from '../fixtures/model-rows.js';

let database: ModelDatabase;
beforeAll(async () => {
  database = await ModelDatabase.open();
});
afterAll(() => database.stop());
beforeEach(() => database.withoutRates());

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
    const asset = await newShop(database);
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
    const asset = await newShop(database);
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
    const asset = await newShop(database);
    await lift(asset, { from: addDays(FIRST, 1), perDay: 20 });
    const input = await prepare(asset);
    expect(input.tests[0]?.tested.slice(0, 4)).toEqual([0, 1, 1, 0]);
    expect(input.warnings).toEqual(['test_spend_exceeds_channel']);
  });

  it('in another currency are converted, or left out', async () => {
    const asset = await newShop(database);
    await lift(asset, { from: addDays(FIRST, 1), currency: 'USD' });
    expect(await prepare(asset)).toMatchObject({ tests: [], warnings: ['test_currency'] });
    await database.rates(Array.from({ length: 14 }, (_, day) => ['USD', addDays(FIRST, 1 + day), '0.5']));
    const input = await prepare(asset);
    expect(input).toMatchObject({ tests: [{ value: 1, se: 65.8 / 3.29 / 35 }], warnings: [] });
    expect(input.tests[0]?.tested[1]).toBe(17.5 / 101);
  });
});
