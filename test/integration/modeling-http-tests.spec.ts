import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiftTest, LiftTestItem } from '#contracts/modeling/lift-test.js';
import { MARKET_TEST, ModelingClient, PLACES_TEST, TESTS, type Told } from '../fixtures/modeling-client.js';
import { GatewayAndModelingFiles } from '../fixtures/modeling-files-module.js';
import { ModelRows } from '../fixtures/model-rows.js';
import { liftNumbers } from '../fixtures/modeling-numbers.js';
import type { Answer } from '../support/ask-conforming.js';
import { startService, type TestService } from '../support/service.js';

const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

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

describe('overlapping tests', () => {
  const overlaps = async (first: object, second: object): Promise<boolean> => {
    const client = await ModelingClient.ofNewAsset(service);
    const testId = await client.newTest({ ...PLACES_TEST, ...first });
    const { status, code, body } = await client.send(TESTS, { ...PLACES_TEST, ...second });
    expect([202, 409]).toContain(status);
    if (status === 409) expect([code, (body as { test_id: string }).test_id]).toEqual(['test_overlap', testId]);
    return status === 409;
  };
  const MARKET = { geo_level: null, treated: [] };

  it.each<[string, object, object]>([
    ['the same', {}, {}],
    ['one place of several', { treated: ['Ulm', 'Berlin'] }, { treated: ['Bonn', 'Berlin'] }],
    ['one channel of several', { channels: ['TV', 'Radio'] }, { channels: ['Print', 'Radio'] }],
    ['a synonym of the channel', { channels: ['Google Ads'] }, { channels: ['adwords'] }],
    ['another spelling of it', { channels: ['Café Radio'] }, { channels: ['cafe-radio'] }],
    ['a channel without letters', { channels: ['§§'] }, { channels: ['§§'] }],
    ['a common day', {}, { test_from: '2025-10-28', test_to: '2025-11-20' }],
    ['a day of the tail', { tail_days: 14 }, { test_from: '2025-11-11', test_to: '2025-11-20' }],
    [
      'a day of its own tail',
      { test_from: '2025-10-10' },
      { test_from: '2025-10-01', test_to: '2025-10-08', tail_days: 2 },
    ],
    ['another metric', {}, { metric: 'revenue' }],
    ['a place by its path', { treated: ['DE/BE/Berlin'] }, { treated: ['Berlin'] }],
    ['the whole market behind a place', {}, MARKET],
    ['a place behind the whole market', MARKET, {}],
    ['the whole market twice', MARKET, MARKET],
  ])('%s: 409', async (_, first, second) => {
    expect(await overlaps(first, second)).toBe(true);
  });

  it.each<[string, object, object]>([
    ['other places', { treated: ['Ulm'] }, { treated: ['Bonn', 'Neu-Ulm'] }],
    ['another channel', {}, { channels: ['Radio'] }],
    ['a channel whose name holds the other', { channels: ['Google'] }, { channels: ['Google Brand'] }],
    ['other channels without letters', { channels: ['§§'] }, { channels: ['!!'] }],
    ['the day after', {}, { test_from: '2025-10-29', test_to: '2025-11-20' }],
    ['the day after the tail', { tail_days: 14 }, { test_from: '2025-11-12', test_to: '2025-11-20' }],
    ['controls of one that the other treats', { controls: ['Bonn'] }, { treated: ['Bonn'] }],
    ['places of two countries with one name', { treated: ['DE/BE/Neustadt'] }, { treated: ['DE/BY/Neustadt'] }],
  ])('%s: none', async (_, first, second) => {
    expect(await overlaps(first, second)).toBe(false);
  });

  it('a place inside one of another level counts, by what events say', async () => {
    const day = '2025-08-01';
    await new ModelRows(service.dataSource, shop.asset.assetId).outcomes([
      { day, place: ['DE', 'BE', 'Berlin'], value: 1 },
      { day, place: ['FR', 'ARA', 'Lyon'], value: 1 },
    ]);
    const treat = (geo_level: string, place: string): Promise<Answer> =>
      shop.send(TESTS, { ...PLACES_TEST, geo_level, treated: [place] });
    expect((await treat('country', 'DE')).status).toBe(202);
    for (const [level, place] of [
      ['city', 'Berlin'],
      ['city', 'DE/BE/Berlin'],
      ['region', 'BE'],
      ['region', 'DE/BE'],
    ] as const)
      expect(await treat(level, place)).toMatchObject({ status: 409, code: 'test_overlap' });
    expect((await treat('city', 'Lyon')).status).toBe(202);
    expect((await treat('region', 'ARA')).status).toBe(409);
    expect((await treat('city', 'Nowhere')).status).toBe(202);
  });

  it('one that failed does not count, one that is scheduled, running or done does; of another asset neither', async () => {
    const testId = await shop.newTest(PLACES_TEST);
    for (const status of ['scheduled', 'queued', 'running', 'succeeded']) {
      await shop.setStatus('lift_test', testId, status);
      expect((await shop.send(TESTS, PLACES_TEST)).status).toBe(409);
    }
    const other = await ModelingClient.ofNewAsset(service);
    await other.newTest(PLACES_TEST);
    await shop.setStatus('lift_test', testId, 'failed');
    await shop.newTest(PLACES_TEST);
  });

  it('asked at the same time, one is taken', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => shop.send(TESTS, PLACES_TEST)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    const [row] = await service.dataSource.query(
      `SELECT count(*)::int AS events FROM access.outbox WHERE topic = 'lift.test-requested.v1' AND key = $1`,
      [shop.asset.assetId],
    );
    expect(row.events).toBe(1);
  });
});

describe('a test', () => {
  it('that succeeded has its numbers, and the rest on request', async () => {
    const numbers = liftNumbers();
    const testId = await shop.evaluatedTest(numbers);
    const { days, diagnostics, ...values } = numbers;
    const { body, headers } = await shop.ask(`${TESTS}/${testId}`);
    expect(body).toMatchObject({ ...values, test_id: testId, status: 'succeeded', generated: '2026-04-01T06:07:08Z' });
    expect((body as LiftTest).request).toMatchObject(MARKET_TEST);
    for (const member of ['days', 'diagnostics']) expect(body).not.toHaveProperty(member);
    expect(headers.get('retry-after')).toBeNull();
    expect((await shop.ask(`${TESTS}/${testId}?include=days,diagnostics`)).body).toMatchObject({ days, diagnostics });
  });

  it('that is queued has no numbers, and says when to come again', async () => {
    const testId = await shop.newTest();
    const { body, headers } = await shop.ask(`${TESTS}/${testId}?include=days,diagnostics`);
    expect(body).toMatchObject({ status: 'queued', lift_total: null, trust_tier: null, generated: null, days: [] });
    expect(headers.get('retry-after')).toBe('1');
    await shop.setStatus('lift_test', testId, 'scheduled');
    expect((await shop.ask(`${TESTS}/${testId}`)).headers.get('retry-after')).toBeNull();
  });

  it.each(['include=', 'include=weeks', 'include=days,', 'include=days&include=days', 'colour=red'])(
    'with %s is refused',
    async (query) => {
      const answer = await shop.ask(`${TESTS}/${await shop.newTest()}?${query}`);
      expect(answer).toMatchObject({ status: 400, code: 'invalid_parameter' });
      expect((answer.body as Told).errors).toMatchObject([{ name: query.split('=')[0] }]);
    },
  );

  it('of another tenant does not exist', async () => {
    const testId = await shop.newTest();
    const other = await ModelingClient.ofNewAsset(service);
    for (const path of [`${TESTS}/${testId}`, `${TESTS}/${UNKNOWN}`, `${TESTS}/no-uuid`])
      expect(await other.ask(path)).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('without cost data has no spend and nothing that gives it back', async () => {
    const testId = await shop.evaluatedTest(liftNumbers(), {
      ...MARKET_TEST,
      spend: { amount: '50', currency: 'EUR' },
    });
    const path = `${TESTS}/${testId}?include=days,diagnostics`;
    expect((await shop.ask(path)).body).toMatchObject({ spend_window: 50, request: { spend: { amount: '50' } } });
    const token = await shop.tokenOf(['models:read'], ['cost_data']);
    const test = (await shop.ask(path, { token })).body as LiftTest;
    const list = (await shop.ask(TESTS, { token })).body;
    expect(JSON.stringify([test, list])).not.toMatch(/spend|roas|cpa/);
    expect(test).toMatchObject({ lift_total: 20, lift_pct: 20, diagnostics: liftNumbers().diagnostics });
    expect(test.days).toMatchObject([{ lift: 1 }, { lift: 20, organic: 30 }]);
  });
});

describe('the list of tests', () => {
  it('has the newest first, in pages', async () => {
    const ids = [
      await shop.newTest(),
      await shop.evaluatedTest(liftNumbers(), { ...MARKET_TEST, channels: ['Radio'] }),
      await shop.newTest({ ...MARKET_TEST, channels: ['Print'] }),
    ].reverse();
    const page = async (query: string): Promise<Page<LiftTestItem>> =>
      (await shop.ask(`${TESTS}?${query}`)).body as Page<LiftTestItem>;
    const all = await page('');
    expect([all.items.map(({ test_id: id }) => id), all.next_cursor]).toEqual([ids, null]);
    expect(all.items[1]).toMatchObject({ status: 'succeeded', lift_total: 20, spend_window: 50 });
    expect(all.items[0]).not.toHaveProperty('request');
    const first = await page('limit=2');
    const second = await page(`limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(({ test_id: id }) => id)).toEqual(ids);
    for (const query of ['limit=0', 'limit=201', 'cursor=x', 'metric=revenue'])
      expect(await shop.ask(`${TESTS}?${query}`)).toMatchObject({ status: 400, code: 'invalid_parameter' });
  });
});
