import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { ModelingRunners } from '../fixtures/modeling-runners.js';

let runs: ModelingRunners;

beforeAll(async () => {
  runs = await ModelingRunners.open();
});

afterEach(async () => {
  await runs.reset();
});

afterAll(async () => {
  await runs.close();
});

describe('the order of runs', () => {
  it('is: asked for, then automatic; each in order of arrival; none before its time', async () => {
    const automatic = await runs.queue('goal:slow 50', { trigger: 'cost_import' });
    const tomorrow = await runs.queue('goal:slow 51', { trigger: 'lift_test', inSeconds: 86_400 });
    const soon = await runs.queue('goal:slow 52', { trigger: 'lift_test', inSeconds: 1 });
    const first = await runs.queue('goal:slow 53');
    const second = await runs.queue('goal:slow 54');
    runs.start({ threads: 1 });
    await runs.until(soon, 'succeeded');
    const order = await runs.dataSource.query<{ run_id: string }[]>(
      `SELECT run_id FROM modeling.run WHERE status = 'succeeded' ORDER BY finished_at`,
    );
    expect(order.map(({ run_id }) => run_id)).toEqual([first, second, automatic, soon]);
    expect(await runs.run(tomorrow)).toMatchObject({ status: 'queued', attempt: 0 });
  });

  it('keeps a slot for what is asked for: automatic runs never fill all', async () => {
    for (const assetId of [1, 2, 3].map(() => crypto.randomUUID()))
      await runs.queue('goal:hang', { trigger: 'cost_import', assetId });
    runs.start({ threads: 2 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const asked = await runs.queue('conversions');
    await runs.until(asked, 'succeeded');
  });
});

describe('several processes', () => {
  it('share the runs: each is done once', async () => {
    const ids = [];
    for (let n = 0; n < 12; n++) ids.push(await runs.queue('goal:slow 20'));
    for (let n = 0; n < 3; n++) runs.start();
    for (const id of ids) {
      expect(await runs.until(id, 'succeeded')).toMatchObject({ attempt: 1 });
      expect(await runs.events(id)).toHaveLength(1);
    }
  });

  it('go on when the database breaks their connections in the middle of a fit', async () => {
    const id = await runs.queue('goal:later slow 600');
    runs.start();
    await runs.until(id, 'running');
    await runs.dataSource.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    expect(await runs.until(id, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await runs.events(id)).toHaveLength(1);
  });
});

describe('an automatic run', () => {
  const automatic = (): Promise<string> => runs.queue('conversions', { trigger: 'cost_import' });

  it('with the input of the newest succeeded run is skipped without an event, whoever asked for that', async () => {
    const asked = await runs.queue('conversions');
    runs.start();
    const { input_hash } = await runs.until(asked, 'succeeded');
    const same = await automatic();
    expect(await runs.until(same, 'skipped')).toMatchObject({
      same_as: asked,
      input_hash,
      error_code: null,
      attempt: 1,
    });
    expect(await runs.events(same)).toEqual([]);
    const again = await runs.queue('conversions');
    expect(await runs.until(again, 'succeeded')).toMatchObject({ same_as: null });
    const third = await automatic();
    expect(await runs.until(third, 'skipped')).toMatchObject({ same_as: again });
  });

  it('is not skipped when only an older run had its input, or a run of another target or asset', async () => {
    let seed = 0;
    runs.start({
      prepareMix: (_read, { target }) => Promise.resolve({ target, seed } as MixInput),
    });
    const old = await automatic();
    await runs.until(old, 'succeeded');
    seed = 1;
    await runs.until(await automatic(), 'succeeded');
    seed = 0;
    await runs.until(await automatic(), 'succeeded');
    await runs.until(
      await runs.queue('conversions', { trigger: 'cost_import', assetId: crypto.randomUUID() }),
      'succeeded',
    );
    await runs.until(await runs.queue('revenue', { trigger: 'cost_import' }), 'succeeded');
  });

  it('that is handed back while a later one waits leaves the work to that', async () => {
    const first = await runs.queue('goal:hang', { trigger: 'cost_import' });
    const runner = runs.start();
    await runs.until(first, 'running');
    const later = await runs.queue('goal:hang', { trigger: 'cost_import', inSeconds: 60 });
    await runner.beforeApplicationShutdown();
    expect(await runs.run(first)).toMatchObject({ status: 'skipped', same_as: later, finished_at: expect.any(Date) });
    expect(await runs.run(later)).toMatchObject({ status: 'queued', attempt: 0 });
  });

  it('of two whose workers died one goes on', async () => {
    const ids = [];
    for (let n = 0; n < 2; n++) {
      ids.push(await automatic());
      await runs.dataSource.query(
        `UPDATE modeling.run SET status = 'running', attempt = 1, locked_by = 'a dead worker', lease_until = clock_timestamp() WHERE status = 'queued'`,
      );
    }
    runs.start();
    await Promise.race(ids.map((id) => runs.until(id, 'succeeded')));
    const states = await Promise.all(ids.map((id) => runs.run(id)));
    expect(states.map(({ status }) => status).sort()).toEqual(['skipped', 'succeeded']);
  });
});

describe('a lift test', () => {
  it('waits until its window is over, then has numbers and says so', async () => {
    const later = await runs.schedule('revenue', { inSeconds: 3_600 });
    const due = await runs.schedule('conversions', { inSeconds: 1 });
    runs.start();
    expect(await runs.test(due)).toMatchObject({ status: 'scheduled' });
    expect(await runs.untilTest(due, 'succeeded')).toMatchObject({ attempt: 1, locked_by: null, error_code: null });
    expect(await runs.test(later)).toMatchObject({ status: 'scheduled', attempt: 0 });
    expect(await runs.events(due)).toEqual([
      {
        asset_id: runs.assetId,
        test_id: due,
        metric: 'conversions',
        channels: ['Google Ads'],
        status: 'succeeded',
        trust_tier: 'high',
        error_code: null,
      },
    ]);
    const [result] = await runs.dataSource.query<object[]>(
      `SELECT (SELECT count(*)::int FROM modeling.lift_result WHERE test_id = $1) AS results,
              (SELECT count(*)::int FROM modeling.lift_day WHERE test_id = $1) AS days`,
      [due],
    );
    expect(result).toEqual({ results: 1, days: 2 });
  });

  it('fails, times out and is given up like a run', async () => {
    const [constant, crash, hang] = [
      await runs.schedule('goal:constant'),
      await runs.schedule('goal:crash', { status: 'queued' }),
      await runs.schedule('goal:hang'),
    ];
    runs.start({ timeoutMs: 2_000 });
    expect(await runs.untilTest(constant, 'failed')).toMatchObject({ attempt: 1, error_code: 'target_constant' });
    expect(await runs.untilTest(crash, 'failed')).toMatchObject({ attempt: 3, error_code: 'internal' });
    expect(await runs.untilTest(hang, 'failed')).toMatchObject({ attempt: 1, error_code: 'timeout' });
    for (const [id, code] of [
      [constant, 'target_constant'],
      [crash, 'internal'],
      [hang, 'timeout'],
    ] as const)
      expect(await runs.events(id)).toMatchObject([
        { status: 'failed', metric: expect.any(String), channels: ['Google Ads'], error_code: code },
      ]);
  });

  it('is handed back when the service stops', async () => {
    const id = await runs.schedule('goal:hang');
    const runner = runs.start();
    await runs.untilTest(id, 'running');
    await runner.beforeApplicationShutdown();
    expect(await runs.test(id)).toMatchObject({ status: 'queued', attempt: 0, locked_by: null });
  });
});
