import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiftTestCompleted } from '#contracts/events/lift-test-completed.js';
import type { MmmRunCompleted } from '#contracts/events/mmm-run-completed.js';
import { MixShop } from '../fixtures/mix-shop.js';
import { ModelsClient } from '../support/models-client.js';
import type { TestAsset } from '../support/service.js';
import { until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { stack } from './support.js';

const MODELS = { MODEL_DEBOUNCE_SECONDS: '2', MODEL_DEBOUNCE_MAX_SECONDS: '60' };

describe('mmm-lift', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let models: ServiceProcess;
  let asset: TestAsset;
  let client: ModelsClient;
  let shop: MixShop;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    const others = await Promise.all([services.start('import-worker'), services.start('reporting')]);
    [gateway, models] = await Promise.all([services.start('gateway'), services.start('mmm-lift', MODELS)]);
    await Promise.all([gateway, models, ...others].map((service) => service.untilReady()));
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  beforeEach(async () => {
    asset = await services.newAsset();
    client = new ModelsClient(gateway.url, asset.token);
    shop = new MixShop(asset.assetId.slice(0, 8));
  });

  const completed = () => services.events<MmmRunCompleted>('mmm.run-completed.v1', asset);
  /** Another process takes the place of one that was ended. */
  const restarted = async (settings: Record<string, string> = {}) =>
    (await services.start('mmm-lift', { ...MODELS, ...settings })).untilReady();
  const isRunning = (runId: string) =>
    until(
      () => client.run(runId),
      ({ status }) => status === 'running',
      30_000,
      5,
    );

  it('fits what a cost file and events say, into a file, and skips what is nothing new', async () => {
    await client.collect(shop);
    await client.importCosts(shop.costs());
    const automatic = await until(
      () => client.runs(),
      (runs) => runs.length === 2 && runs.every(({ status }) => status === 'succeeded'),
      120_000,
    );
    expect(automatic.map(({ target, trigger }) => [target, trigger]).sort()).toEqual([
      ['conversions', 'cost_import'],
      ['revenue', 'cost_import'],
    ]);
    const run = await client.run(automatic.find(({ target }) => target === 'conversions')?.run_id ?? '', 'weeks');
    expect(run).toMatchObject({ n_weeks: 60, n_channels: 2, window_to: shop.weeks.at(-1), error: null });
    for (const { channel, contribution_share: share } of run.channels)
      expect(Math.abs((share ?? 0) - shop.truth(channel))).toBeLessThan(0.08);
    const observed = run.weeks?.reduce((sum, week) => sum + (week.observed ?? 0), 0);
    expect(observed).toBe(shop.orders().length);

    const file = await client.call('GET', `mmm/runs/${run.run_id}/export.csv`);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining(`mmm-${run.run_id.slice(0, 8)}.csv`),
    ]);
    const text = await file.text();
    expect(text).toContain(`\nGoogle Ads,search,`);
    expect(text).toContain('\nTikTok,social,');

    await client.importCosts(shop.costs());
    const skipped = await until(
      () => client.runs(),
      (runs) => runs.filter(({ status }) => status === 'skipped').length === 2,
      60_000,
    );
    expect(skipped.filter(({ same_as }) => same_as === run.run_id)).toHaveLength(1);
    expect(await completed()).toHaveLength(2);
  });

  it('that is killed in the middle of a fit is taken over, with one result', async () => {
    await client.collect(shop);
    await client.importCosts(shop.costs());
    const run = await client.fit({ target: 'goal:purchase' });
    await isRunning(run);
    await models.kill();
    models = await restarted();
    expect(await client.endedRun(run)).toMatchObject({ status: 'succeeded', n_weeks: 60 });
    const [row] = await services.dataSource.query<{ attempt: number; weeks: number }[]>(
      `SELECT attempt, (SELECT count(*)::int FROM modeling.run_week w WHERE w.run_id = r.run_id) AS weeks
         FROM modeling.run r WHERE run_id = $1`,
      [run],
    );
    expect(row).toEqual({ attempt: 2, weeks: 60 });
    const events = await until(completed, (all) => all.some(({ run_id }) => run_id === run));
    expect(events.filter(({ run_id }) => run_id === run)).toHaveLength(1);
  });

  it('makes one run of many imports, and of the same event twice', async () => {
    const rows = shop.costs().trimEnd().split('\n');
    for (let number = 0; number < 8; number++) {
      await client.importCosts([...rows.slice(0, 3 + number), ''].join('\n'));
      await sleep(700);
    }
    const [event] = (await services.allEvents('cost-import.completed.v1')).filter(
      ({ subject }) => subject === asset.assetId,
    );
    await services.broker.produce('cost-import.completed.v1', [{ key: asset.assetId, value: JSON.stringify(event) }]);
    await until(
      () => client.runs(),
      (runs) => runs.length > 0 && runs.every(({ status }) => status === 'failed'),
    );
    await sleep(3_000);
    expect(await client.runs()).toMatchObject([{ status: 'failed', error_code: 'target_unavailable' }]);
  });

  it('gives up a fit that takes too long, and answers all the time', async () => {
    await client.collect(shop);
    await client.importCosts(shop.costs());
    await models.end();
    models = await restarted({ MODEL_TIMEOUT_MS: '300' });
    const run = await client.fit({ target: 'goal:purchase' });
    expect(await client.endedRun(run)).toMatchObject({ status: 'failed', error_code: 'timeout', channels: [] });
    expect((await fetch(`${models.url}/health/ready`)).status).toBe(200);
    await models.end();
    models = await restarted();
    const refused = await client.call('GET', `mmm/runs/${run}/export.csv`);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([409, 'invalid_state']);
  });

  it('judges a lift test, tells of it, and lets a model learn from it', async () => {
    await client.collect(shop);
    await client.importCosts(shop.costs());
    const { test_id: test } = await client.json<{ test_id: string }>('POST', 'lift/tests', {
      name: 'France in autumn',
      metric: 'conversions',
      channels: ['TikTok'],
      spend: { amount: '500', currency: 'USD' },
      geo_level: 'country',
      treated: ['FR'],
      test_from: shop.day(50, 0),
      test_to: shop.day(52, 6),
    });
    expect(await client.endedTest(test)).toMatchObject({ status: 'succeeded', n_days: 21, n_controls: 2 });
    const file = await (await client.call('GET', `lift/tests/${test}/export.csv`)).text();
    expect(file.split('\n')[0]?.trimEnd()).toBe('title,Lift test');
    expect(file).toContain('\nday,observed,counterfactual,cf_lo,cf_hi,lift,organic,spend_window,incremental_roas,cpa');
    const [event] = await until(
      () => services.events<LiftTestCompleted>('lift.test-completed.v1', asset),
      (all) => all.length > 0,
    );
    expect(event).toMatchObject({ test_id: test, status: 'succeeded', channels: ['TikTok'] });
    const calibrated = await until(
      () => client.runs(),
      (runs) =>
        runs.some(({ status, calibrated_channels: channels }) => status === 'succeeded' && channels?.length === 1),
      120_000,
    );
    expect(calibrated.find(({ calibrated_channels: channels }) => channels?.length === 1)).toMatchObject({
      target: 'conversions',
      calibrated_channels: ['TikTok'],
    });
  });
});
