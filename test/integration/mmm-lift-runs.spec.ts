import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { endLeases } from '#jobs/end-leases.js';
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

const rowsOf = async (runId: string): Promise<object> => {
  const [counts] = await runs.dataSource.query<object[]>(
    `SELECT (SELECT count(*)::int FROM modeling.run_channel WHERE run_id = $1) AS channels,
            (SELECT count(*)::int FROM modeling.run_week WHERE run_id = $1) AS weeks,
            (SELECT count(*)::int FROM modeling.run_input WHERE run_id = $1) AS inputs`,
    [runId],
  );
  return counts!;
};

describe('a model run', () => {
  it('stores its input, numbers and end, and says so once', async () => {
    const id = await runs.queue('conversions');
    runs.start();
    expect(await runs.until(id, 'succeeded')).toMatchObject({
      attempt: 1,
      trust_tier: 'medium',
      locked_by: null,
      error_code: null,
      input_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings: ['main', 'holdout'],
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
    });
    expect(await rowsOf(id)).toEqual({ channels: 2, weeks: 2, inputs: 1 });
    expect(await runs.events(id)).toEqual([
      {
        asset_id: runs.assetId,
        run_id: id,
        target: 'conversions',
        status: 'succeeded',
        trust_tier: 'medium',
        n_weeks: 2,
        n_channels: 2,
        error_code: null,
      },
    ]);
  });

  it('that fails for a foreseen reason says which, is not started again, and keeps its input', async () => {
    const id = await runs.queue('goal:constant');
    runs.start();
    expect(await runs.until(id, 'failed')).toMatchObject({
      attempt: 1,
      error_code: 'target_constant',
      error: { code: 'target_constant', weeks: 12, detail: expect.any(String) },
    });
    expect(await rowsOf(id)).toEqual({ channels: 0, weeks: 0, inputs: 1 });
    expect(await runs.events(id)).toMatchObject([
      { status: 'failed', error_code: 'target_constant', trust_tier: null },
    ]);
  });

  it.each(['goal:crash', 'goal:broken'])(
    'of which each of three starts breaks (%s) fails as internal',
    async (target) => {
      const id = await runs.queue(target);
      runs.start();
      expect(await runs.until(id, 'failed')).toMatchObject({ attempt: 3, error_code: 'internal' });
      expect(await runs.events(id)).toMatchObject([{ status: 'failed', error_code: 'internal' }]);
      const next = await runs.queue('conversions');
      await runs.until(next, 'succeeded');
    },
  );

  it('that takes too long fails as timeout, and frees its thread', async () => {
    const id = await runs.queue('goal:hang');
    runs.start({ threads: 1, timeoutMs: 700 });
    expect(await runs.until(id, 'failed')).toMatchObject({ attempt: 1, error_code: 'timeout', locked_by: null });
    expect(await runs.events(id)).toMatchObject([{ status: 'failed', error_code: 'timeout' }]);
    const next = await runs.queue('conversions');
    await runs.until(next, 'succeeded');
  });

  it('may have its time in each start: a worker that died took none of it', async () => {
    const id = await runs.queue('conversions');
    await runs.dataSource.query(
      `UPDATE modeling.run SET status = 'running', attempt = 1, locked_by = 'a dead worker', lease_until = clock_timestamp() - interval '1 s',
              deadline_at = clock_timestamp() - interval '1 s' WHERE run_id = $1`,
      [id],
    );
    runs.start();
    expect(await runs.until(id, 'succeeded')).toMatchObject({ attempt: 2 });
  });

  it('of a worker that was killed goes on at once where nobody else can hold a lease', async () => {
    const id = await runs.queue('conversions');
    const test = await runs.schedule('conversions');
    for (const table of ['modeling.run', 'modeling.lift_test'])
      await runs.dataSource.query(
        `UPDATE ${table} SET status = 'running', attempt = 1, locked_by = 'a dead worker', lease_until = clock_timestamp() + interval '1 hour'`,
      );
    await endLeases(runs.dataSource);
    runs.start();
    expect(await runs.until(id, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await runs.untilTest(test, 'succeeded')).toMatchObject({ attempt: 2 });
  });

  it('whose third worker died fails as internal', async () => {
    const id = await runs.queue('conversions');
    await runs.dataSource.query(
      `UPDATE modeling.run SET status = 'running', attempt = 3, locked_by = 'a dead worker', lease_until = clock_timestamp() WHERE run_id = $1`,
      [id],
    );
    runs.start();
    expect(await runs.until(id, 'failed')).toMatchObject({ attempt: 3, error_code: 'internal' });
    expect(await runs.events(id)).toHaveLength(1);
  });

  it('is taken over when its worker loses the lease; the late one writes nothing', async () => {
    const id = await runs.queue('goal:later slow 2500');
    runs.start({ threads: 1, leaseMs: 1_000, renewalMs: 60_000 });
    await runs.until(id, 'running');
    runs.start({
      prepareMix: (_read, run) => Promise.resolve({ target: 'conversions', seed: run.seed } as MixInput),
    });
    const ended = await runs.until(id, 'succeeded');
    expect(ended.attempt).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await runs.run(id)).toEqual(ended);
    expect(await runs.events(id)).toHaveLength(1);
    expect(await rowsOf(id)).toEqual({ channels: 2, weeks: 2, inputs: 1 });
    const [{ input } = { input: undefined }] = await runs.dataSource.query<{ input: unknown }[]>(
      'SELECT input FROM modeling.run_input WHERE run_id = $1',
      [id],
    );
    expect(input).toMatchObject({ target: 'conversions' });
  });

  it('is handed back when the service stops, and the start does not count', async () => {
    const id = await runs.queue('goal:hang');
    const runner = runs.start();
    await runs.until(id, 'running');
    await runner.beforeApplicationShutdown();
    expect(await runs.run(id)).toMatchObject({ status: 'queued', attempt: 0, locked_by: null });
    expect(await runs.events(id)).toEqual([]);
  });

  it('that nearly ended when the service stops ends in the time of grace', async () => {
    const id = await runs.queue('goal:later slow 500');
    const runner = runs.start({ graceMs: 5_000 });
    await runs.until(id, 'running');
    await runner.beforeApplicationShutdown();
    expect(await runs.run(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });
});

describe('the preparation of a run', () => {
  it('sees one moment', async () => {
    const seen: unknown[] = [];
    const id = await runs.queue('conversions');
    runs.start({
      prepareMix: async (read, { target }) => {
        for (let n = 0; n < 2; n++) {
          seen.push(...(await read('SELECT count(*)::int AS seen FROM modeling.control')));
          await runs.dataSource.query(
            `INSERT INTO modeling.control (asset_id, name, week_end, value) VALUES ($1, $2, '2026-01-04', 1)`,
            [runs.assetId, `control ${n}`],
          );
        }
        return { target } as MixInput;
      },
    });
    await runs.until(id, 'succeeded');
    expect(seen).toEqual([{ seen: 0 }, { seen: 0 }]);
  });

  it('can write nothing', async () => {
    const id = await runs.queue('conversions');
    const refused: unknown[] = [];
    runs.start({
      prepareMix: (read) =>
        read<never>('DELETE FROM modeling.run').catch((error: unknown) => {
          refused.push(error);
          throw error;
        }) as Promise<never>,
    });
    expect(await runs.until(id, 'failed')).toMatchObject({ error_code: 'internal', attempt: 3 });
    expect(String(refused[0])).toContain('read-only transaction');
  });

  it('that is too slow is canceled in the database as well', async () => {
    const id = await runs.queue('conversions');
    runs.start({
      timeoutMs: 500,
      prepareMix: async (read, { target }) => {
        await read('SELECT pg_sleep(60)');
        return { target } as MixInput;
      },
    });
    expect(await runs.until(id, 'failed')).toMatchObject({ error_code: 'timeout', attempt: 1 });
    const active = await runs.dataSource.query<object[]>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()`,
    );
    expect(active).toEqual([]);
  });
});
