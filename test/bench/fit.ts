import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { fitInThreads } from '#apps/mmm-lift/src/runs/fit-in-threads.js';
import { FitPool } from '#apps/mmm-lift/src/runs/fit-pool.js';
import { MIX_KINDS } from '../sim/mixes/mix-kinds.js';
import { simulateMix } from '../sim/mixes/simulate-mix.js';
import type { Ending } from './ending.js';
import { seconds, type Figure } from './measure.js';

const ROUNDS = 3;
const THREADS = 2;
const RESOLUTION_MS = 10;

/** Mix models in the threads of the service, hold-out included, and what the thread that starts them feels of it. */
export async function fit(ending: Ending): Promise<Figure[]> {
  const pool = new FitPool({ threads: THREADS });
  ending.add(() => pool.close());
  const figures: Figure[] = [];
  for (const { channels, weeks, goal } of [
    { channels: 5, weeks: 156, goal: 5 },
    { channels: 15, weeks: 208, goal: 12 },
  ]) {
    const input = mixOf(channels, weeks);
    const fitOnce = () => fitInThreads(pool, input, new AbortController().signal);
    await fitOnce();
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    const took: number[] = [];
    const late: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      delay.reset();
      delay.enable();
      await sleep(RESOLUTION_MS);
      took.push(await seconds(fitOnce));
      delay.disable();
      late.push(delay.percentile(99) / 1e6 - RESOLUTION_MS);
    }
    const name = `mix model, ${channels} channels × ${weeks} weeks`;
    figures.push({ name, unit: 's', values: took, goal });
    figures.push({ name: `${name}: delay of the event loop, p99`, unit: 'ms', values: late, goal: 50 });
  }
  return figures;
}

function mixOf(channels: number, weeks: number): MixInput {
  const kind = { ...MIX_KINDS.regular, channels: [channels, channels] as const, weeks: [weeks, weeks] as const };
  const { series } = simulateMix(kind, 1);
  return {
    target: 'revenue',
    isCount: false,
    weeks: series.weeks,
    y: series.y,
    channels: Object.entries(series.spend).map(([slug, spend]) => ({
      slug,
      name: slug,
      family: 'other',
      spend,
      before: [],
    })),
    controls: Object.entries(series.controls).map(([name, values]) => ({ name, values })),
    tests: [],
    conversionValue: null,
    averageOrderValue: null,
    currency: 'USD',
    warnings: [],
    seed: 1,
  };
}
