import { readMixFile } from '#apps/cli/src/modeling/mix-file.js';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { MIX_KINDS } from '../sim/mixes/mix-kinds.js';
import { simulateMix, type WeeklySeries } from '../sim/mixes/simulate-mix.js';
import { PANEL_KINDS } from '../sim/panels/panel-kinds.js';
import { simulatePanel } from '../sim/panels/simulate-panel.js';
import type { Bench } from './bench.js';
import { mixWords, writeCells } from './files.js';
import { time, type Row } from './row.js';

/** Two threads, hold-out included, as the service runs it. */
export async function mixTimes(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [channels, weeks, goal] of [
    [5, 156, 5],
    [15, 208, 12],
  ] as const) {
    const kind = { ...MIX_KINDS.regular, channels: [channels, channels] as const, weeks: [weeks, weeks] as const };
    const input = await inputOf(bench, `time-${channels}`, simulateMix(kind, bench.firstSeed).series);
    await fitInTwo(bench, { ...input, seed: 99 });
    rows.push(time(`${channels} channels × ${weeks} weeks`, await seconds(() => fitInTwo(bench, input)), goal));
  }
  return rows;
}

/** 36 placebos, in one thread. */
export async function liftTime(bench: Bench): Promise<Row[]> {
  const kind = { ...PANEL_KINDS.donors, places: [40, 40] as const, before: [90, 90] as const, days: [15, 15] as const };
  const { days, values, treated, testFrom, testTo } = simulatePanel({ ...kind, treated: [2, 2] }, bench.firstSeed);
  const cells = Object.entries(values).flatMap(([place, series]) =>
    series.map((value, day) => [place, days[day] ?? '', value]),
  );
  const file = writeCells(bench, 'time-lift', [['place', 'date', 'value'], ...cells]);
  const words = [
    'lift',
    'fit',
    file,
    '--date',
    'date',
    '--target',
    'value',
    '--place',
    'place',
    '--treated',
    treated.join(','),
  ];
  const span = ['--test-from', testFrom, '--test-to', testTo];
  return [time('lift, 40 places × 105 days', await seconds(() => bench.threads.text(...words, ...span)), 5)];
}

async function inputOf(bench: Bench, name: string, series: WeeklySeries): Promise<MixInput> {
  const [, , file = ''] = mixWords(bench, name, series);
  return readMixFile(file, {
    date: 'week',
    target: 'y',
    channels: Object.keys(series.spend),
    controls: Object.keys(series.controls),
    liftTests: undefined,
    count: false,
    seed: 1,
  });
}

/** The stages of the mix model in two threads, as the service runs them. */
export async function fitInTwo({ threads }: Bench, input: MixInput): Promise<void> {
  const pre = await threads.ask({ stage: 'preFit', parameters: [input] });
  const [main, holdOut] = await Promise.all([
    threads.ask({ stage: 'fitMain', parameters: [input, pre] }),
    threads.ask({ stage: 'holdOut', parameters: [input, pre] }),
  ]);
  await threads.ask({ stage: 'summarize', parameters: [input, pre, main, holdOut] });
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
