import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from '@jest/globals';
import { evaluateLift } from '#apps/mmm-lift/src/lift/evaluate-lift.js';
import type { LiftInput } from '#apps/mmm-lift/src/lift/lift-input.js';
import { fitMix } from '#apps/mmm-lift/src/mmm/fit-mix.js';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { fitInThreads } from '#apps/mmm-lift/src/runs/fit-in-threads.js';
import { FitPool } from '#apps/mmm-lift/src/runs/fit-pool.js';

const pools = [1, 2].map((threads) => new FitPool({ threads }));
const never = new AbortController().signal;

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

/** Two channels that alternate, a season, and a little of what looks like chance. */
function mixInput(weeks = 40): MixInput {
  const spend = [0, 1].map((channel) =>
    Array.from({ length: weeks }, (_, week) => 100 + 80 * Math.sin(week * (1.7 + channel))),
  );
  const sunday = (week: number): string => new Date(Date.UTC(2024, 0, 7 + 7 * week)).toISOString().slice(0, 10);
  return {
    target: 'conversions',
    isCount: true,
    weeks: Array.from({ length: weeks }, (_, week) => sunday(week)),
    y: Array.from(
      { length: weeks },
      (_, week) => 500 + 0.8 * (spend[0]?.[week] ?? 0) + 20 * Math.cos(week / 8) + 5 * Math.sin(week * 12.9),
    ),
    channels: spend.map((values, channel) => ({
      slug: `channel-${channel}`,
      name: `Channel ${channel}`,
      family: 'search',
      spend: values,
      before: [],
    })),
    controls: [],
    tests: [],
    conversionValue: 10,
    averageOrderValue: null,
    currency: 'EUR',
    warnings: [],
    seed: 7,
  };
}

function liftInput(): LiftInput {
  const days = Array.from({ length: 70 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10));
  const series = (place: number): number[] =>
    days.map((_, day) => 100 + 10 * place + 15 * Math.sin((2 * Math.PI * day) / 7) + 4 * Math.sin(day * (3 + place)));
  return {
    metric: 'conversions',
    isCount: true,
    days,
    preLength: 56,
    tailLength: 0,
    y: series(0).map((value, day) => value + (day >= 56 ? 20 : 0)),
    controls: [1, 2, 3].map((place) => ({ name: `Place ${place}`, values: series(place) })),
    period: 7,
    treated: ['Berlin'],
    organic: null,
    spend: null,
    conversionValue: null,
    averageOrderValue: null,
    currency: null,
    droppedControls: [],
    warnings: [],
    seed: 7,
  };
}

describe('in threads', () => {
  it('a model has the same numbers to the last digit, however many threads there are', async () => {
    const input = mixInput();
    const here = JSON.stringify(fitMix(input));
    for (const pool of pools) expect(JSON.stringify(await fitInThreads(pool, input, never))).toBe(here);
  });

  it('a lift test has, too', async () => {
    const input = liftInput();
    const here = JSON.stringify(evaluateLift(input));
    for (const pool of pools) expect(JSON.stringify(await pool.run('evaluateLift', [input], never))).toBe(here);
  });

  it('a foreseen failure comes back as such', async () => {
    const input = { ...mixInput(), y: Array.from({ length: 40 }, () => 5) };
    for (const pool of pools)
      await expect(fitInThreads(pool, input, never)).rejects.toMatchObject({
        name: 'RunFailure',
        code: 'target_constant',
      });
  });

  it('the event loop goes on meanwhile', async () => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const start = performance.now();
    await Promise.all(pools.map((pool) => fitInThreads(pool, mixInput(60), never)));
    const took = performance.now() - start;
    delay.disable();
    // A fit in the loop itself would hold it for as long as it takes.
    expect(delay.max / 1e6).toBeLessThan(took / 3);
    expect(delay.percentile(99) / 1e6).toBeLessThan(200);
  });
});
