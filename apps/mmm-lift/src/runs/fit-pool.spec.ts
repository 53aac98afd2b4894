import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import type { LiftInput } from '../lift/lift-input.js';
import { FitPool, ThreadDiedError } from './fit-pool.js';
import { threadStart } from './thread-start.js';

const tasks = new URL('../../../../test/fixtures/tiny-fits.ts', import.meta.url);
const pools: FitPool[] = [];
const never = new AbortController().signal;

function poolOf(threads: number): FitPool {
  const pool = new FitPool({ threads, start: { ...threadStart(), tasks } });
  pools.push(pool);
  return pool;
}

const run = (pool: FitPool, fate: string, signal = never): Promise<unknown> =>
  pool.run('evaluateLift', [{ metric: `goal:${fate}` } as LiftInput], signal);

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

describe('a pool of threads', () => {
  it('gives back what a task returns', async () => {
    expect(await run(poolOf(1), 'fine')).toMatchObject({ method: 'synthetic_control', lift_total: 20 });
  });

  it('works with all threads at once, and no more tasks than threads', async () => {
    const pool = poolOf(2);
    await Promise.all([run(pool, 'fine'), run(pool, 'fine')]);
    const start = performance.now();
    const five = Array.from({ length: 5 }, () => run(pool, 'slow 200'));
    expect(pool.tasksWaiting).toBe(3);
    await Promise.all(five);
    expect(performance.now() - start).toBeGreaterThan(590);
    expect(pool.tasksWaiting).toBe(0);
  });

  it('tells a foreseen failure with its members, and an error with its text', async () => {
    const pool = poolOf(1);
    await expect(run(pool, 'constant')).rejects.toMatchObject({
      name: 'RunFailure',
      problem: { code: 'target_constant', weeks: 12, detail: expect.any(String) },
    });
    await expect(run(pool, 'broken')).rejects.toMatchObject({
      message: 'not a number',
      stack: expect.stringContaining('tiny-fits.ts'),
    });
    expect(await run(pool, 'fine')).toBeDefined();
  });

  it('replaces a thread that crashes, and goes on with what waits', async () => {
    const pool = poolOf(1);
    const [crashed, fine] = [run(pool, 'crash'), run(pool, 'fine')];
    await expect(crashed).rejects.toThrow(ThreadDiedError);
    await expect(crashed).rejects.toThrow('code 7');
    expect(await fine).toBeDefined();
  });

  // In a process of its own: a limit that is given to Node for the whole process, as tests do, wins over that of a thread.
  it('outlives a thread that runs out of memory', () => {
    const { execArgv = [] } = threadStart();
    const url = (file: string): string => JSON.stringify(new URL(file, import.meta.url));
    const script = `
      const { FitPool } = await import(${url('./fit-pool.ts')});
      const { threadStart } = await import(${url('./thread-start.ts')});
      const pool = new FitPool({ threads: 1, heapMb: 64, start: { ...threadStart(), tasks: new URL(${JSON.stringify(tasks)}) } });
      const run = (fate) => pool.run('evaluateLift', [{ metric: 'goal:' + fate }], new AbortController().signal);
      const died = await run('fill').catch((error) => error.cause.code);
      const { method } = await run('fine');
      await pool.close();
      console.log(died, method);`;
    const { stdout, stderr } = spawnSync(process.execPath, [...execArgv, '--input-type=module', '--eval', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect({ stdout, stderr }).toMatchObject({ stdout: 'ERR_WORKER_OUT_OF_MEMORY synthetic_control\n' });
  }, 60_000);

  it('stops a computation that never ends when its signal fires', async () => {
    const pool = poolOf(1);
    const stop = new AbortController();
    const hanging = run(pool, 'hang', stop.signal);
    const fine = run(pool, 'fine');
    const reason = new Error('enough');
    setTimeout(() => {
      stop.abort(reason);
    }, 100);
    await expect(hanging).rejects.toBe(reason);
    expect(await fine).toBeDefined();
  });

  it('forgets a task that is stopped while it waits, or before', async () => {
    const pool = poolOf(1);
    const stop = new AbortController();
    const slow = run(pool, 'slow 100');
    const waiting = run(pool, 'crash', stop.signal);
    stop.abort(new Error('never mind'));
    await expect(waiting).rejects.toThrow('never mind');
    await expect(run(pool, 'crash', stop.signal)).rejects.toThrow('never mind');
    expect(await slow).toBeDefined();
  });

  it('fails what is not done when it is closed', async () => {
    const pool = poolOf(1);
    const open = Promise.allSettled([run(pool, 'hang'), run(pool, 'fine')]);
    await pool.close();
    const reason = expect.objectContaining({ message: 'The service stops.' });
    expect(await open).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    await expect(run(pool, 'fine')).rejects.toThrow('The service stops.');
  });
});
