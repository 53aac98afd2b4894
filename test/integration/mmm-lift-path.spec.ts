import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixRun, MixRunItem } from '#contracts/modeling/mix-run.js';
import { importFile, until } from '../fixtures/cost-import-client.js';
import { ModelRows } from '../fixtures/model-rows.js';
import { ModelingClient, RUNS, TESTS } from '../fixtures/modeling-client.js';
import { startService, type TestService } from '../support/service.js';

const WEEKS = 40;
const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2025, 0, 6);
const dateOf = (day: number): string => new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10);

let service: TestService;
let shop: ModelingClient;

beforeAll(async () => {
  service = await startService({ MODEL_DEBOUNCE_SECONDS: '0.3' });
  shop = await ModelingClient.ofNewAsset(service);
  const days = Array.from({ length: WEEKS * 7 }, (_, day) => day);
  await new ModelRows(service.dataSource, shop.asset.assetId).outcomes(
    days.map((day) => ({
      day: dateOf(day),
      value: Math.round(100 + spendOf(0, Math.floor(day / 7)) / 7 + 10 * Math.sin(day * 2.3)),
    })),
  );
});

afterAll(async () => {
  await service.stop();
  process.env['MODEL_DEBOUNCE_SECONDS'] = '';
});

function spendOf(channel: number, week: number): number {
  return Math.round(200 + 150 * Math.sin(week * (1.7 + channel)));
}

function costs(weeks = WEEKS): string {
  const rows = Array.from({ length: weeks }, (_, week) =>
    ['Google Ads', 'TV'].map((name, channel) => `${dateOf(week * 7 + 6)},${name},${spendOf(channel, week)},USD`),
  );
  return `date,channel,cost,currency\n${rows.flat().join('\n')}\n`;
}

const list = async (): Promise<MixRunItem[]> => ((await shop.ask(RUNS)).body as { items: MixRunItem[] }).items;
const newest = (trigger: string, status: string): Promise<MixRunItem> =>
  until(list, ([run]) => run?.trigger === trigger && run.status === status).then(([run]) => run!);

describe('from a cost file to a model file', () => {
  let first: MixRunItem;

  it('an import makes a model by itself', async () => {
    await importFile(service, shop.asset, costs());
    first = await newest('cost_import', 'succeeded');
    expect(first).toMatchObject({ target: 'conversions', n_weeks: WEEKS, n_channels: 2, seed: 1, trust_tier: 'low' });
    const { body, status } = await shop.ask(`${RUNS}/${first.run_id}`);
    expect(status).toBe(200);
    const { channels } = body as MixRun;
    const google = channels.find(({ channel }) => channel === 'Google Ads');
    // Its conversions rise and fall with its spend, one for one; TV has none.
    expect(google?.contribution_share_hi).toBeGreaterThan(0.1);
    expect(google?.contribution ?? 0).toBeGreaterThan(
      channels.find(({ channel }) => channel === 'TV')?.contribution ?? 0,
    );
  }, 60_000);

  it('which has a file', async () => {
    const { status, body, headers } = await shop.ask(`${RUNS}/${first.run_id}/export.csv`);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain(`mmm-${first.run_id.slice(0, 8)}.csv`);
    expect(body).toContain(first.run_id);
    expect(body).toContain('\nGoogle Ads,search,');
  });

  it('the same file again makes none: the run is skipped', async () => {
    await importFile(service, shop.asset, costs());
    expect(await newest('cost_import', 'skipped')).toMatchObject({ same_as: first.run_id, trust_tier: null });
  }, 30_000);

  it('asked for, it is made again with the same numbers', async () => {
    const id = await shop.newRun({ target: 'conversions' });
    const again = await newest('request', 'succeeded');
    expect(again.run_id).toBe(id);
    const details = '?include=weeks,curves,diagnostics';
    const [a, b] = await Promise.all([first.run_id, id].map((run) => shop.ask(`${RUNS}/${run}${details}`)));
    const numbers = (body: unknown): MixRun => ({
      ...(body as MixRun),
      ...{
        run_id: '',
        generated: '',
        created_at: '',
        started_at: '',
        finished_at: '',
        trigger: 'request',
        requested_by: null,
      },
    });
    expect(numbers(b?.body)).toEqual(numbers(a?.body));
  }, 60_000);

  it('a lift test has numbers, and the model learns from it', async () => {
    const testId = await shop.newTest({
      name: 'More search',
      metric: 'conversions',
      channels: ['Google Ads'],
      test_from: dateOf(200),
      test_to: dateOf(227),
    });
    const test = await until(
      async () => (await shop.ask(`${TESTS}/${testId}`)).body as LiftTest,
      ({ status }) => status === 'succeeded',
    );
    expect(test).toMatchObject({ n_days: 28, method: 'own_history', n_controls: 0 });
    const run = await newest('lift_test', 'succeeded');
    expect(run.calibrated_channels).toEqual(['Google Ads']);
  }, 60_000);
});
