import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiftInput } from '#apps/mmm-lift/src/lift/lift-input.js';
import { addDays, daysFromTo } from '#apps/mmm-lift/src/prepare/calendar.js';
import { prepareLift } from '#apps/mmm-lift/src/prepare/prepare-lift.js';
import type { LiftRequest } from '#contracts/modeling/lift-test.js';
import { ModelDatabase, type ModelRows, type Outcome } from '../fixtures/model-rows.js';

const PRE_FROM = '2026-03-02';
/** A Monday. */
const TEST_FROM = '2026-06-01';
const TEST_TO = '2026-06-14';
const DAYS = daysFromTo(PRE_FROM, TEST_TO);
const PRE = DAYS.filter((day) => day < TEST_FROM);

let database: ModelDatabase;
beforeAll(async () => {
  database = await ModelDatabase.open();
});
afterAll(() => database.stop());
beforeEach(() => database.withoutRates());

function request(rest: Partial<LiftRequest> = {}): LiftRequest {
  return {
    ...{ name: 'Test', metric: 'conversions', channels: ['Meta'], campaigns: [], spend: null, geo_level: null },
    ...{ treated: [], controls: [], control_metrics: [], test_from: TEST_FROM, test_to: TEST_TO, tail_days: 0 },
    ...{ pre_from: PRE_FROM, seed: 1 },
    ...rest,
  };
}

function prepare(asset: ModelRows, rest: Partial<LiftRequest> = {}, testId = randomUUID()): Promise<LiftInput> {
  const test = { assetId: asset.assetId, testId, request: request(rest), seed: 7, now: new Date('2026-07-01') };
  return prepareLift(asset.read, test);
}

/** A place with as many conversions each day. */
function sells(place: readonly string[], value: number, days = DAYS, rest: Partial<Outcome> = {}): Outcome[] {
  return days.map((day) => ({ day, place, value, events: 50, ...rest }));
}

const names = ({ controls }: LiftInput): string[] => controls.map(({ name }) => name);

describe('places', () => {
  const ROWS = [
    ...sells(['DE', 'Bavaria', 'Munich'], 10),
    ...sells(['DE', 'Bavaria', 'Nuremberg'], 5),
    ...sells(['DE', 'Hesse', 'Frankfurt'], 4),
    ...sells(['DE', 'Brandenburg', 'Frankfurt'], 3),
    ...sells(['FR', 'Brittany', ''], 2),
    ...sells(['', '', ''], 1),
  ];

  it('add up at their level', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(ROWS);
    const input = await prepare(asset, { geo_level: 'region', treated: ['Bavaria', 'DE/Hesse'], tail_days: 3 });
    expect(input).toMatchObject({
      metric: 'conversions',
      isCount: true,
      preLength: 91,
      tailLength: 3,
      period: 7,
      treated: ['Bavaria', 'DE/Hesse'],
      organic: null,
      spend: null,
      seed: 7,
      droppedControls: [],
      warnings: ['spend_scope_unknown'],
    });
    expect(input.days).toEqual(daysFromTo(PRE_FROM, addDays(TEST_TO, 3)));
    expect(input.y).toEqual([...DAYS.map(() => 19), null, null, null]);
    expect(input.controls).toEqual([
      { name: 'Brandenburg', values: [...DAYS.map(() => 3), 0, 0, 0] },
      { name: 'Brittany', values: [...DAYS.map(() => 2), 0, 0, 0] },
    ]);
  });

  it('of one name are told apart by their path', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(ROWS);
    const treated = ['DE/Hesse/Frankfurt'];
    const input = await prepare(asset, { geo_level: 'city', treated });
    expect(input.y[0]).toBe(4);
    expect(names(input)).toEqual(['DE/Brandenburg/Frankfurt', 'Munich', 'Nuremberg']);
    expect(input.controls[0]?.values[0]).toBe(3);
    for (const place of ['Frankfurt', 'Berlin', 'Bavaria', ''])
      await expect(prepare(asset, { geo_level: 'city', treated, controls: [place] })).rejects.toMatchObject({
        code: 'unknown_place',
        extensions: { place },
      });
  });

  it('that are named are the only controls', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(ROWS);
    const input = await prepare(asset, {
      geo_level: 'city',
      treated: ['Munich', 'DE/Bavaria/Munich'],
      controls: ['Nuremberg', 'DE/Bavaria/Munich', 'DE/Bavaria/Nuremberg'],
    });
    expect([input.treated, names(input), input.y[0]]).toEqual([['Munich'], ['Nuremberg'], 10]);
  });

  it('without any event are missing, without a sale 0', async () => {
    const asset = await database.newAsset();
    const [a = '', b = '', c = ''] = DAYS;
    await asset.outcomes([
      ...sells(['DE'], 10, DAYS.slice(3)),
      { day: a, place: ['DE'], value: 0, events: 4 },
      ...sells(['FR'], 7, [a, b, ...DAYS.slice(3)]),
    ]);
    const input = await prepare(asset, { geo_level: 'country', treated: ['DE'] });
    expect(input.y.slice(0, 5)).toEqual([0, null, null, 10, 10]);
    expect(input.controls[0]?.values.slice(0, 4)).toEqual([7, 7, 0, 7]);
    expect(input.days[2]).toBe(c);
    expect((await prepare(asset)).y.slice(0, 4)).toEqual([7, 7, null, 17]);
  });
});

describe('controls by default', () => {
  it('have a value on 80 % of the days and are the 100 largest', async () => {
    const asset = await database.newAsset();
    await asset.outcomes([
      ...sells(['treated'], 10),
      ...sells(['often'], 1, PRE.slice(0, 73)),
      ...sells(['seldom'], 9, PRE.slice(0, 72)),
      ...sells(['seldom'], 0, PRE.slice(72)),
      ...sells(['late'], 9, DAYS.slice(91)),
    ]);
    expect(names(await prepare(asset, { geo_level: 'country', treated: ['treated'] }))).toEqual(['often']);
    await asset.outcomes(Array.from({ length: 101 }, (_, index) => sells([`c${index}`], 2 + index)).flat());
    const all = names(await prepare(asset, { geo_level: 'country', treated: ['treated'] }));
    expect(all).toHaveLength(100);
    expect(all).not.toContain('often');
    expect(all).not.toContain('c0');
  });

  it('are not treated by another test at the same time, tails included', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(
      [
        ['DE', 'Bavaria', 'Munich'],
        ['DE', 'Hesse', 'Frankfurt'],
        ['FR', 'Brittany', 'Brest'],
        ['FR', 'Corsica', 'Ajaccio'],
        ['US', 'Texas', 'Austin'],
        ['US', 'Ohio', 'Dayton'],
      ].flatMap((place) => sells(place, 3)),
    );
    const other = async (
      level: LiftRequest['geo_level'],
      treated: string[],
      from: string,
      to: string,
      status = 'queued',
    ) =>
      asset.modeling('lift_test', [
        {
          ...{ test_id: randomUUID(), name: 'x', metric: 'revenue', channels: ['TV'], status, not_before: new Date() },
          ...{ request: JSON.stringify(request({ geo_level: level, treated })), test_from: from, window_to: to },
        },
      ]);
    await other('city', ['Frankfurt'], '2026-05-01', TEST_FROM);
    await other('country', ['FR'], TEST_TO, '2026-07-01', 'succeeded');
    await other('region', ['US/Texas'], '2026-05-01', '2026-05-31');
    await other('region', ['US/Texas'], TEST_FROM, TEST_TO, 'failed');
    await other(null, [], TEST_FROM, TEST_TO, 'running');
    const input = await prepare(asset, { geo_level: 'region', treated: ['Bavaria'] });
    expect(names(input)).toEqual(['Ohio', 'Texas']);
    expect(input.droppedControls).toEqual([
      { control: 'Brittany', reason: 'overlapping_test' },
      { control: 'Corsica', reason: 'overlapping_test' },
      { control: 'Hesse', reason: 'overlapping_test' },
    ]);
    // Whoever names a place wants it.
    expect(names(await prepare(asset, { geo_level: 'city', treated: ['Munich'], controls: ['Brest'] }))).toEqual([
      'Brest',
    ]);
  });

  it('of the whole market are other targets', async () => {
    const asset = await database.newAsset();
    await asset.outcomes([
      ...sells(['DE'], 3),
      ...sells(['', ''], 2),
      ...sells(['DE'], 4, DAYS, { target: 'goal:signup', events: 0 }),
      ...sells(['FR'], 5, DAYS, { target: 'goal:signup', events: 0 }),
    ]);
    const input = await prepare(asset, { control_metrics: ['goal:signup', 'goal:never'] });
    expect(input.treated).toEqual([]);
    expect(new Set(input.y)).toEqual(new Set([5]));
    expect(input.controls).toEqual([
      { name: 'goal:signup', values: DAYS.map(() => 9) },
      { name: 'goal:never', values: DAYS.map(() => 0) },
    ]);
    await expect(prepare(asset, { metric: 'revenue' })).rejects.toMatchObject({ code: 'target_unavailable' });
  });
});

describe('organic', () => {
  it('is known when last touch gives anything to unpaid channels', async () => {
    const asset = await database.newAsset();
    await asset.outcomes([...sells(['DE'], 3), ...sells(['FR'], 4, DAYS, { organic: 1 })]);
    const input = await prepare(asset, { geo_level: 'country', treated: ['DE'] });
    expect(input.organic).toEqual({ y: DAYS.map(() => 0), controls: [DAYS.map(() => 1)] });
  });
});

describe('tested spend', () => {
  const days = (input: LiftInput): number => input.days.length - input.preLength;

  it('is the amount given, evenly over the test', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(sells(['DE'], 3));
    const input = await prepare(asset, { spend: { amount: '100', currency: 'USD' }, tail_days: 5 });
    expect(input).toMatchObject({ currency: 'USD', warnings: [] });
    expect(input.spend?.slice(0, 3)).toEqual([7.142858, 7.142858, 7.142857]);
    expect(input.spend?.slice(13)).toEqual([7.142857, 0, 0, 0, 0, 0]);
    expect(input.spend?.reduce((sum, one) => sum + one, 0)).toBeCloseTo(100, 9);
  });

  it('is the cost rows of the channels in a test of the whole market', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(sells(['DE'], 3));
    await asset.costs([
      ...DAYS.map((date) => ({ date, channel: 'meta ads', cost: 2 })),
      { date: TEST_FROM, channel: 'facebook', cost: 5, campaign: 'a' },
      { date: TEST_FROM, channel: 'Google', cost: 50 },
      { date: addDays(TEST_TO, 1), channel: 'Meta', cost: 50 },
    ]);
    const input = await prepare(asset, { tail_days: 2 });
    expect(input).toMatchObject({ currency: 'EUR', warnings: [] });
    expect(input.spend).toEqual([7, ...DAYS.slice(92).map(() => 2), 0, 0]);
    // Of places only with the names of campaigns.
    const ofPlace = { geo_level: 'country', treated: ['DE'] } as const;
    expect(await prepare(asset, { ...ofPlace, treated: ['DE'] })).toMatchObject({
      spend: null,
      warnings: ['spend_scope_unknown'],
    });
    const ofCampaign = await prepare(asset, { ...ofPlace, treated: ['DE'], campaigns: ['a'] });
    expect(ofCampaign.spend?.slice(0, 2)).toEqual([5, 0]);
    expect(await prepare(asset, { channels: ['Radio'] })).toMatchObject({ spend: null, warnings: [] });
  });

  it('spreads rows that are a week apart over their weeks', async () => {
    const asset = await database.newAsset();
    await asset.outcomes(sells(['DE'], 3));
    await asset.costs([
      { date: '2026-05-31', channel: 'Meta', cost: 70, campaign: 'other' },
      { date: '2026-06-07', channel: 'Meta', cost: 7, campaign: 'tested' },
      { date: '2026-06-21', channel: 'Meta', cost: 14, campaign: 'tested' },
    ]);
    const input = await prepare(asset, { campaigns: ['tested'], test_to: '2026-06-16' });
    expect(input.spend).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 2]);
    expect(days(input)).toBe(16);
  });

  it('is converted by day with revenue, or unknown', async () => {
    const asset = await database.newAsset();
    await asset.outcomes([
      ...sells(['DE'], 3),
      ...sells(['DE'], 20, DAYS, { target: 'revenue', currency: 'EUR', events: 0 }),
    ]);
    await asset.costs(DAYS.map((date) => ({ date, channel: 'Meta', cost: 2, currency: 'USD' })));
    const unknown = await prepare(asset, { metric: 'revenue' });
    expect(unknown).toMatchObject({ currency: 'EUR', spend: null, warnings: ['spend_currency'], isCount: false });
    expect(unknown.averageOrderValue).toBeCloseTo(20 / 3, 12);
    await database.rates(DAYS.slice(91).map((day, index) => ['USD', day, `0.${5 + (index % 2)}`]));
    const known = await prepare(asset, { metric: 'revenue' });
    expect(known).toMatchObject({ currency: 'EUR', warnings: [] });
    expect(known.spend?.slice(0, 3)).toEqual([1, 1.2, 1]);
    expect(known.y[0]).toBe(20);
  });

  it('meets the value of a conversion in one currency', async () => {
    const asset = await database.newAsset();
    await asset.modeling('asset_setting', [{ conversion_value: '12' }]);
    await asset.outcomes(sells(['DE'], 3));
    expect(await prepare(asset)).toMatchObject({ currency: 'EUR', conversionValue: 12, spend: null });
    await asset.costs(DAYS.map((date) => ({ date, channel: 'Meta', cost: 2, currency: 'USD' })));
    expect(await prepare(asset)).toMatchObject({
      currency: 'USD',
      conversionValue: null,
      warnings: ['conversion_value_currency'],
    });
    await database.rates(DAYS.map((day) => ['USD', day, '0.6']));
    expect(await prepare(asset)).toMatchObject({ currency: 'USD', conversionValue: 20, warnings: [] });
  });
});

describe('revenue', () => {
  it('of several currencies is converted by day', async () => {
    const asset = await database.newAsset();
    await asset.outcomes([
      ...sells(['DE'], 1),
      ...sells(['DE'], 20, DAYS, { target: 'revenue', currency: 'EUR', events: 0 }),
      ...sells(['DE'], -3, DAYS.slice(0, 2), { target: 'revenue', currency: 'CHF', events: 0 }),
    ]);
    await database.rates(DAYS.map((day) => ['EUR', day, '1']));
    await expect(prepare(asset, { metric: 'revenue' })).rejects.toMatchObject({
      code: 'mixed_currency',
      extensions: { channel: null, currency: 'CHF', rows: 2 },
    });
    await database.rates(DAYS.slice(0, 2).map((day, index) => ['CHF', day, `1.${index + 1}`]));
    const input = await prepare(asset, { metric: 'revenue' });
    expect(input.y.slice(0, 3)).toEqual([16.7, 16.4, 20]);
  });
});
