import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { localDay } from '#contracts/local-day.js';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import { MARKET_TEST, ModelingClient, PLACES_TEST, TESTS } from '../fixtures/modeling-client.js';
import { GatewayAndModelingFiles } from '../fixtures/modeling-files-module.js';
import { ModelRows } from '../fixtures/model-rows.js';
import { startService, type TestService } from '../support/service.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;

let service: TestService;
let shop: ModelingClient;

beforeAll(async () => {
  service = await startService({}, GatewayAndModelingFiles);
});

beforeEach(async () => {
  shop = await ModelingClient.ofNewAsset(service);
});

afterAll(async () => {
  await service.stop();
});

const later = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

async function requestOf(body: object): Promise<LiftTest['request']> {
  return ((await shop.ask(`${TESTS}/${await shop.newTest(body)}`)).body as LiftTest).request;
}

describe('a request for a lift test', () => {
  it('is 202 with the id of a queued test, its place, and one event', async () => {
    const body = { ...PLACES_TEST, tail_days: 7, seed: 9, spend: { amount: 8400.5, currency: 'eur' } };
    const { status, body: told, headers } = await shop.send(TESTS, body);
    const { test_id: testId } = told as { test_id: string };
    expect([status, told]).toEqual([202, { test_id: expect.stringMatching(UUID_V4), status: 'queued' }]);
    expect(headers.get('location')).toBe(`${TESTS}/${testId}`);
    const [row] = await service.dataSource.query(
      `SELECT asset_id, name, metric, channels, request, status, test_from::text, window_to::text, seed, requested_by,
              to_char(not_before AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS not_before FROM modeling.lift_test WHERE test_id = $1`,
      [testId],
    );
    expect(row).toEqual({
      asset_id: shop.asset.assetId,
      name: 'TV burst',
      metric: 'conversions',
      channels: ['TV'],
      request: {
        name: 'TV burst',
        metric: 'conversions',
        channels: ['TV'],
        campaigns: [],
        spend: { amount: '8400.5', currency: 'EUR' },
        geo_level: 'city',
        treated: ['Berlin', 'Köln'],
        controls: [],
        control_metrics: [],
        test_from: '2025-10-01',
        test_to: '2025-10-28',
        tail_days: 7,
        pre_from: '2025-07-03',
        seed: 9,
      },
      status: 'queued',
      test_from: '2025-10-01',
      window_to: '2025-11-04',
      not_before: '2025-11-05 00:00',
      seed: 9,
      requested_by: expect.stringMatching(/^principal/),
    });
    const events = await service.dataSource.query(
      `SELECT payload FROM access.outbox WHERE topic = 'lift.test-requested.v1' AND key = $1`,
      [shop.asset.assetId],
    );
    expect(events).toMatchObject([{ payload: { data: { test_id: testId, asset_id: shop.asset.assetId } } }]);
  });

  it('is scheduled until the window with its tail is over where the asset is', async () => {
    const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    for (const timezone of zones) {
      const client = await ModelingClient.ofNewAsset(service, timezone);
      const today = localDay(timezone, new Date());
      const until = async (to: string, more: object = {}): Promise<unknown> => {
        const dates = { test_from: later(to, -9), test_to: to };
        const { body } = await client.send(TESTS, {
          ...MARKET_TEST,
          channels: [`tv ${Math.random()}`],
          ...dates,
          ...more,
        });
        return (body as { status: string }).status;
      };
      expect(await until(later(today, -1))).toBe('queued');
      expect(await until(today)).toBe('scheduled');
      expect(await until(later(today, -1), { tail_days: 1 })).toBe('scheduled');
      expect(await until(later(today, 30))).toBe('scheduled');
      const [row] = await service.dataSource.query(
        `SELECT bool_and(not_before = (window_to + 1)::timestamp AT TIME ZONE $2) AS right FROM modeling.lift_test WHERE asset_id = $1`,
        [client.asset.assetId, timezone],
      );
      expect(row.right).toBe(true);
    }
  });

  it.each([
    ['90 days by default', {}, '2025-07-03'],
    ['twice a long test', { test_from: '2025-08-01', test_to: '2025-11-28' }, later('2025-08-01', -240)],
    ['twice the test with its tail', { tail_days: 60 }, later('2025-10-01', -176)],
    ['the longest', { test_from: '2025-08-01', test_to: '2025-11-28', tail_days: 60 }, later('2025-08-01', -360)],
    ['28 days for a short test', { test_to: '2025-10-07', pre_from: '2025-09-03' }, '2025-09-03'],
    ['400 days', { pre_from: later('2025-10-01', -400) }, later('2025-10-01', -400)],
  ])('has a time before it: %s', async (_, dates, preFrom) => {
    expect((await requestOf({ ...MARKET_TEST, ...dates })).pre_from).toBe(preFrom);
  });

  it('keeps what it was asked, and can be asked again as it tells it', async () => {
    const request = await requestOf({
      ...MARKET_TEST,
      name: '  Autumn  ',
      channels: ['TV', 'Radio'],
      campaigns: ['Brand'],
      control_metrics: ['goal:support', 'revenue'],
      spend: { amount: '0', currency: 'USD' },
    });
    expect(request).toMatchObject({
      name: 'Autumn',
      campaigns: ['Brand'],
      control_metrics: ['goal:support', 'revenue'],
    });
    const other = await ModelingClient.ofNewAsset(service);
    expect((await other.send(TESTS, request)).status).toBe(202);
    const bare = await requestOf({ ...MARKET_TEST, channels: ['Print'] });
    expect((await other.send(TESTS, bare)).status).toBe(202);
  });

  const places = (count: number): string[] => Array.from({ length: count }, (_, index) => `place ${index}`);
  it.each<[string, object, string | RegExp]>([
    ['no name', { name: undefined }, 'name is missing'],
    ['a blank name', { name: ' ' }, /^name must be text of 1 to 256/],
    ['a long name', { name: 'x'.repeat(257) }, /^name must be text/],
    ['a name with NUL', { name: 'a\0' }, /^name must be text/],
    ['no metric', { metric: null }, 'metric is missing'],
    ['a metric that is no target', { metric: 'sessions' }, /^metric must be `conversions`/],
    ['no channels', { channels: undefined }, 'channels is missing'],
    ['empty channels', { channels: [] }, 'channels must be a list of 1 to 100'],
    ['channels that are no list', { channels: 'TV' }, /^channels must be a list/],
    ['a channel that is no text', { channels: ['TV', 7] }, /^channels\[1\] must be text/],
    ['a long channel', { channels: ['x'.repeat(257)] }, /^channels\[0\] must be text/],
    ['a channel twice', { channels: ['TV', 'TV '] }, 'channels[1] is in the list already'],
    ['too many channels', { channels: places(101) }, /^channels must be a list/],
    ['a blank campaign', { campaigns: [''] }, /^campaigns\[0\] must be text/],
    ['a negative amount', { spend: { amount: -1, currency: 'EUR' } }, 'spend.amount must not be negative'],
    ['a negative amount as text', { spend: { amount: '-0.5', currency: 'EUR' } }, 'spend.amount must not be negative'],
    ['no amount', { spend: { currency: 'EUR' } }, 'spend.amount is missing'],
    ['an amount with a comma', { spend: { amount: '8,5', currency: 'EUR' } }, /^spend.amount must be a decimal/],
    ['too many digits', { spend: { amount: '1234567890123456', currency: 'EUR' } }, /^spend.amount must be a decimal/],
    ['too many decimals', { spend: { amount: '1.1234567', currency: 'EUR' } }, /^spend.amount must be a decimal/],
    ['no currency', { spend: { amount: 1 } }, 'spend.currency is missing'],
    ['a wrong currency', { spend: { amount: 1, currency: 'EURO' } }, /^spend.currency must be three letters/],
    [
      'an unknown member of spend',
      { spend: { amount: 1, currency: 'EUR', tax: 1 } },
      'spend.tax is not a member of this body',
    ],
    ['spend that is a number', { spend: 100 }, /^spend must be an object/],
    [
      'an unknown level',
      { geo_level: 'planet', treated: ['Earth'] },
      /^geo_level must be one of country, region, city/,
    ],
    ['places without a level', { treated: ['Berlin'] }, /^treated needs `geo_level`/],
    ['a level without places', { geo_level: 'city' }, /^treated must name a place/],
    ['a level with no place', { geo_level: 'city', treated: [] }, /^treated must name a place/],
    ['a blank place', { geo_level: 'city', treated: [' '] }, /^treated\[0\] must be the name/],
    ['a long place', { geo_level: 'city', treated: ['x'.repeat(257)] }, /^treated\[0\] must be the name/],
    ['too many places', { geo_level: 'city', treated: places(1_001) }, /^treated must be a list/],
    ['a place twice', { geo_level: 'city', treated: ['Berlin', 'Berlin'] }, 'treated[1] is in the list already'],
    [
      'a place in both lists',
      { geo_level: 'city', treated: ['Berlin'], controls: ['Bonn', 'Berlin'] },
      'controls[1] is treated too',
    ],
    [
      'the same by its path',
      { geo_level: 'city', treated: ['Berlin'], controls: ['DE/BE/Berlin'] },
      'controls[0] is treated too',
    ],
    ['controls of the whole market', { controls: ['Bonn'] }, /^controls is for tests of places/],
    [
      'control metrics of places',
      { geo_level: 'city', treated: ['Berlin'], control_metrics: ['revenue'] },
      /^control_metrics is for tests of the whole market/,
    ],
    [
      'a control metric that is no target',
      { control_metrics: ['sessions'] },
      /^control_metrics\[0\] must be `conversions`/,
    ],
    [
      'the metric as its own control',
      { control_metrics: ['revenue', 'conversions'] },
      /^control_metrics\[1\] is the metric/,
    ],
    ['no first day', { test_from: null }, 'test_from is missing'],
    ['no last day', { test_to: undefined }, 'test_to is missing'],
    ['a day that does not exist', { test_from: '2025-09-31' }, /^test_from must be a date/],
    ['an end before its beginning', { test_to: '2025-09-30' }, /^test_from must not be later/],
    ['six days', { test_to: '2025-10-06' }, /^test_to must make a test of 7 to 120 days, not 6/],
    ['121 days', { test_to: '2026-01-29' }, /^test_to must make a test of 7 to 120 days, not 121/],
    ['a tail below zero', { tail_days: -1 }, /^tail_days must be a whole number from 0 to 60/],
    ['a tail of 61 days', { tail_days: 61 }, /^tail_days/],
    ['half a day of tail', { tail_days: 1.5 }, /^tail_days/],
    ['a time before of 27 days', { test_to: '2025-10-07', pre_from: '2025-09-04' }, /^pre_from must be 28 to 400 days/],
    [
      'a time before under twice the window',
      { tail_days: 7, pre_from: '2025-07-24' },
      /^pre_from must be 70 to 400 days/,
    ],
    ['a time before of 401 days', { pre_from: later('2025-10-01', -401) }, /^pre_from must be 56 to 400 days/],
    ['a time before behind the test', { pre_from: '2025-10-02' }, /^pre_from must be/],
    ['a time before that is no date', { pre_from: 'x' }, /^pre_from must be a date/],
    ['a wrong seed', { seed: 0 }, /^seed must be a whole number/],
    ['an unknown member', { colour: 'red' }, 'colour is not a member of this body'],
  ])('with %s is refused', async (_, change, reason) => {
    const faults = await shop.refusal(TESTS, { ...MARKET_TEST, ...change });
    expect(faults).toEqual([typeof reason === 'string' ? reason : expect.stringMatching(reason)]);
  });

  it('tells everything that is wrong at once', async () => {
    const faults = await shop.refusal(TESTS, { channels: [], test_from: 'x', seed: 0 });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'name',
      'metric',
      'channels',
      'test_from',
      'test_to',
      'seed',
    ]);
  });

  it('with a name that events have in two places is refused, and taken with its path', async () => {
    const day = '2025-08-01';
    await new ModelRows(service.dataSource, shop.asset.assetId).outcomes([
      { day, place: ['DE', 'BY', 'Neustadt'], value: 1 },
      { day, place: ['DE', 'RP', 'Neustadt'], value: 1, target: 'conversions' },
      { day, place: ['DE', 'RP', 'Trier'], value: 1 },
      { day, place: ['AR', 'X', 'Córdoba'], value: 1 },
      { day, place: ['ES', 'X', 'Córdoba'], value: 1 },
    ]);
    const cities = { ...MARKET_TEST, geo_level: 'city', treated: ['Trier', 'Neustadt'], controls: ['Córdoba', 'Ulm'] };
    expect(await shop.refusal(TESTS, cities)).toEqual([
      'treated[1] is the name of 2 places: write country/region/city',
      'controls[0] is the name of 2 places: write country/region/city',
    ]);
    expect(await shop.refusal(TESTS, { ...MARKET_TEST, geo_level: 'region', treated: ['X'] })).toEqual([
      'treated[0] is the name of 2 places: write country/region',
    ]);
    await shop.newTest({ ...cities, treated: ['Trier', 'DE/BY/Neustadt'], controls: ['ES/X/Córdoba', 'Ulm'] });
    const other = await ModelingClient.ofNewAsset(service);
    await other.newTest(cities);
  });

  it('takes many places, up to a mebibyte', async () => {
    const treated = Array.from({ length: 1_000 }, (_, index) => `${index} `.padEnd(200, 'x'));
    await shop.newTest({ ...MARKET_TEST, geo_level: 'city', treated });
    const large = await shop.send(TESTS, { ...MARKET_TEST, name: 'x'.repeat(1_048_576) });
    expect(large).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('is answered once per Idempotency-Key, also once its window is over', async () => {
    const keyed = { headers: { 'Idempotency-Key': 'test-1' } };
    const future = later(localDay('UTC', new Date()), 10);
    const body = { ...MARKET_TEST, test_from: later(future, -20), test_to: future };
    const first = await shop.send(TESTS, body, keyed);
    const { test_id: testId } = first.body as { test_id: string };
    await shop.setStatus('lift_test', testId, 'succeeded');
    const again = await shop.send(TESTS, body, keyed);
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      202,
      { test_id: testId, status: 'scheduled' },
      `${TESTS}/${testId}`,
    ]);
    expect((await shop.send(TESTS, MARKET_TEST, keyed)).status).toBe(422);
    const overlapping = { headers: { 'Idempotency-Key': 'test-2' } };
    expect((await shop.send(TESTS, body, overlapping)).status).toBe(409);
    await shop.setStatus('lift_test', testId, 'failed');
    expect(await shop.send(TESTS, body, overlapping)).toMatchObject({ status: 409, code: 'test_overlap' });
  });

  it('needs models:write, and reading models:read', async () => {
    const [reader, writer] = [await shop.tokenOf(['models:read']), await shop.tokenOf(['models:write'])];
    const testId = await shop.newTest();
    expect((await shop.send(TESTS, PLACES_TEST, { token: reader })).status).toBe(403);
    for (const path of [TESTS, `${TESTS}/${testId}`]) {
      expect((await shop.ask(path, { token: writer })).status).toBe(403);
      expect((await shop.ask(path, { token: reader })).status).toBe(200);
    }
  });
});
