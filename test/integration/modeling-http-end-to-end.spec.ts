import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixRun } from '#contracts/modeling/mix-run.js';
import { until } from '../fixtures/cost-import-client.js';
import { ModelRows } from '../fixtures/model-rows.js';
import { ModelingClient, RUNS, TESTS } from '../fixtures/modeling-client.js';
import { startService, type TestService } from '../support/service.js';

const DAY_MS = 86_400_000;
const FIRST = '2025-01-06';
const WEEKS = 40;
const PLACES = ['Berlin', 'Bonn', 'Köln'];

let service: TestService;
let shop: ModelingClient;

const dayOf = (index: number): string => new Date(Date.parse(FIRST) + index * DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  service = await startService();
  shop = await ModelingClient.ofNewAsset(service);
  const rows = new ModelRows(service.dataSource, shop.asset.assetId);
  const days = Array.from({ length: WEEKS * 7 }, (_, index) => index);
  const spend = (day: number): number => 100 + 60 * Math.sin(Math.floor(day / 7) * 1.7);
  const radio = (day: number): number => 50 + 30 * Math.cos(Math.floor(day / 7) * 2.9);
  const noise = (seed: number): number => 3 * Math.sin(seed * 12.9898);
  await rows.costs(
    days.flatMap((day) => [
      { date: dayOf(day), channel: 'Google Ads', cost: spend(day).toFixed(2) },
      { date: dayOf(day), channel: 'Radio', cost: radio(day).toFixed(2) },
    ]),
  );
  await rows.outcomes(
    days.flatMap((day) =>
      PLACES.map((city, place) => ({
        day: dayOf(day),
        place: ['DE', 'X', city],
        value: Math.round(
          20 + 10 * place + 0.1 * spend(day) + noise(day + 1000 * place) + (day > 250 && place === 0 ? 12 : 0),
        ),
      })),
    ),
  );
});

afterAll(async () => {
  await service.stop();
});

it('a run is fitted and answered as it is documented, and so is its file', async () => {
  const runId = await shop.newRun({ target: 'conversions' });
  const run = await until(
    async () => (await shop.ask(`${RUNS}/${runId}?include=weeks,curves,diagnostics`)).body as MixRun,
    ({ finished_at }) => finished_at !== null,
  );
  expect([run.status, run.error]).toEqual(['succeeded', null]);
  expect(run).toMatchObject({
    n_weeks: WEEKS,
    n_channels: 2,
    window_from: FIRST,
    window_to: '2025-10-12',
    interval: 0.9,
  });
  expect(run.channels.map(({ channel }) => channel).sort()).toEqual(['Google Ads', 'Radio']);
  expect(run.weeks).toHaveLength(WEEKS);
  const parts = run.channels.reduce(
    (sum, { contribution_share: share }) => sum + (share ?? 0),
    run.baseline_share ?? 0,
  );
  expect(parts).toBeCloseTo(1, 9);
  expect((await shop.ask(RUNS)).body).toMatchObject({ items: [{ run_id: runId, status: 'succeeded' }] });
  const file = await shop.ask(`${RUNS}/${runId}/export.csv`);
  expect([file.status, file.headers.get('x-service-date-range')]).toEqual([200, `${FIRST}..2025-10-12`]);
});

it('a test is evaluated and answered as it is documented, and so is its file', async () => {
  const testId = await shop.newTest({
    name: 'Berlin',
    metric: 'conversions',
    channels: ['Google Ads'],
    geo_level: 'city',
    treated: ['Berlin'],
    test_from: dayOf(251),
    test_to: dayOf(278),
  });
  const test = await until(
    async () => (await shop.ask(`${TESTS}/${testId}?include=days,diagnostics`)).body as LiftTest,
    ({ finished_at }) => finished_at !== null,
  );
  expect([test.status, test.error]).toEqual(['succeeded', null]);
  expect(test).toMatchObject({ n_days: 28, n_controls: 2, confidence_level: 0.9, treated: ['Berlin'] });
  expect(test.lift_total).toBeGreaterThan(200);
  expect(test.days).toHaveLength(90 + 28);
  const file = await shop.ask(`${TESTS}/${testId}/export.csv`);
  expect([file.status, file.headers.get('x-service-date-range')]).toEqual([200, `${dayOf(161)}..${dayOf(278)}`]);
});

it('what only the data can tell ends as failed', async () => {
  const end = async (path: string): Promise<unknown> =>
    until(
      async () => (await shop.ask(path)).body as MixRun,
      ({ finished_at }) => finished_at !== null,
    );
  expect(await end(`${RUNS}/${await shop.newRun({ target: 'goal:nothing' })}`)).toMatchObject({
    status: 'failed',
    error_code: 'target_unavailable',
  });
  expect(
    await end(`${RUNS}/${await shop.newRun({ target: 'conversions', from: FIRST, to: '2025-02-01' })}`),
  ).toMatchObject({
    status: 'failed',
    error: { code: 'not_enough_weeks', have: 4, need: 12 },
  });
  const nowhere = {
    name: 'Nowhere',
    metric: 'conversions',
    channels: ['Radio'],
    geo_level: 'city',
    treated: ['Atlantis'],
    test_from: dayOf(200),
    test_to: dayOf(220),
  };
  expect(await end(`${TESTS}/${await shop.newTest(nowhere)}`)).toMatchObject({
    status: 'failed',
    error_code: 'unknown_place',
  });
});
