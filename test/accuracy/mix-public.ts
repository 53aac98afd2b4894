import { readFileSync } from 'node:fs';
import { readMixFile } from '#apps/cli/src/modeling/mix-file.js';
import type { MixChannel, MixRun } from '#contracts/modeling/mix-run.js';
import type { WeeklySeries } from '../sim/mixes/simulate-mix.js';
import type { Bench } from './bench.js';
import { fitSeries, readCells } from './files.js';
import { covers } from './mix-figures.js';
import { between, number, time, type Row } from './row.js';
import { fitInTwo, seconds } from './times.js';

/** Simulated by PyMC-Marketing: shares and returns are known. */
export async function mmmExample(bench: Bench): Promise<Row[]> {
  const file = bench.data('pymc-marketing/mmm_example.csv');
  const words = ['--date', 'date_week', '--target', 'y', '--channels', 'x1,x2', '--controls', 'event_1,event_2'];
  const run = await bench.threads.tallyport<MixRun>('mmm', 'fit', file, ...words);
  const truths = [
    { name: 'x1', share: 0.2905, points: 3.5, roi: 4968, percent: 12 },
    { name: 'x2', share: 0.0697, points: 1, roi: 2275, percent: 6 },
  ];
  return truths.flatMap(({ name, share, points, roi, percent }) => {
    const channel = channelOf(run, name);
    const distance = 100 * Math.abs((channel.contribution_share ?? NaN) - share);
    const away = 100 * Math.abs((channel.roi ?? NaN) / roi - 1);
    const anchor = 'mmm_example';
    return [
      between(
        { anchor, measure: `share of ${name}`, goal: `within ${points} pp` },
        distance,
        [0, points],
        `${number(distance)} pp away`,
      ),
      covering(anchor, `interval of ${name}`, covers(channel, share)),
      between(
        { anchor, measure: `return of ${name}`, goal: `within ${percent} %` },
        away,
        [0, percent],
        `${number(away)} % away`,
      ),
    ];
  });
}

/** A hidden variable drives x1 and y; no truth came with it, so what a test mends is seen on our own simulator alone. */
export async function mmmRoasData(bench: Bench): Promise<Row[]> {
  const file = bench.data('pymc-marketing/mmm_roas_data.csv');
  const words = ['--date', 'date', '--target', 'y', '--channels', 'x1,x2'];
  const run = await bench.threads.tallyport<MixRun>('mmm', 'fit', file, ...words);
  const unknown = { anchor: 'mmm_roas_data', goal: 'its truth was not handed over', isReached: null };
  const returns = ['x1', 'x2'].map((name): Row => {
    const { roi, roi_lo, roi_hi } = channelOf(run, name);
    const measured = `${number(roi ?? NaN)} (${number(roi_lo ?? NaN)} to ${number(roi_hi ?? NaN)})`;
    return { ...unknown, measure: `return of ${name}`, measured };
  });
  return [...returns, { ...unknown, measure: 'with a test on x1', measured: 'see «demand drives two channels»' }];
}

/** Places of Google Meridian's simulated data, summed, against the intervals that Meridian itself printed. */
export async function geoAllChannels(bench: Bench): Promise<Row[]> {
  const published = JSON.parse(readFileSync(bench.data('meridian/published_getting_started.json'), 'utf8')) as {
    roi_ci90: { channel: string; ci_lo: number; ci_hi: number }[];
  };
  const run = await fitSeries(bench, 'geo_all_channels', nationalSeries(bench.data('meridian/geo_all_channels.csv')));
  const overlapping = published.roi_ci90.filter(({ channel, ci_lo, ci_hi }) => {
    const { roi_lo, roi_hi } = channelOf(run, `${channel}_spend`);
    return roi_lo !== null && roi_hi !== null && roi_lo <= ci_hi && roi_hi >= ci_lo;
  });
  const [count, all] = [overlapping.length, published.roi_ci90.length];
  const goal = `${all} of ${all} overlap`;
  return [
    between(
      { anchor: 'geo_all_channels', measure: 'intervals of returns', goal },
      count,
      [all, all],
      `${count} of ${all}`,
    ),
  ];
}

export async function robynWeekly(bench: Bench): Promise<Row[]> {
  const file = bench.data('robyn/dt_simulated_weekly.csv');
  const channels = ['tv_S', 'ooh_S', 'print_S', 'facebook_S', 'search_S'];
  const controls = ['competitor_sales_B', 'newsletter'];
  const columns = ['--channels', channels.join(','), '--controls', controls.join(',')];
  const words = ['--date', 'DATE', '--target', 'revenue', ...columns];
  const run = await bench.threads.tallyport<MixRun>('mmm', 'fit', file, ...words);
  const options = { date: 'DATE', target: 'revenue', channels, controls, liftTests: undefined, count: false, seed: 1 };
  const input = await readMixFile(file, options);
  const anchor = 'dt_simulated_weekly';
  const isReached = run.converged === true;
  return [
    { anchor, measure: 'run', measured: isReached ? 'converged' : 'not converged', goal: 'converged', isReached },
    time(anchor, await seconds(() => fitInTwo(bench, input)), 6),
  ];
}

function channelOf(run: MixRun, name: string): MixChannel {
  const channel = run.channels.find((one) => one.channel === name);
  if (channel === undefined) throw new Error(`the run has no channel ${name}`);
  return channel;
}

export function covering(anchor: string, measure: string, isReached: boolean): Row {
  return { anchor, measure, measured: isReached ? 'covers' : 'does not cover', goal: 'covers', isReached };
}

/** All columns are summed over places; a model standardises controls. */
function nationalSeries(path: string): WeeklySeries {
  const [header = [], ...rows] = readCells(path);
  const at = (row: readonly string[], name: string): number => Number(row[header.indexOf(name)]);
  const spends = header.filter((name) => name.endsWith('_spend'));
  const controls = ['competitor_sales_control', 'sentiment_score_control', 'Organic_channel0_impression', 'Promo'];
  const weeks = [...new Set(rows.map((row) => row[header.indexOf('time')] ?? ''))].sort();
  const sums = (value: (row: readonly string[]) => number): number[] => {
    const byWeek = new Map<string, number>();
    for (const row of rows) {
      const week = row[header.indexOf('time')] ?? '';
      byWeek.set(week, (byWeek.get(week) ?? 0) + value(row));
    }
    return weeks.map((week) => byWeek.get(week) ?? 0);
  };
  const columns = (names: readonly string[]): Record<string, number[]> =>
    Object.fromEntries(names.map((name) => [name, sums((row) => at(row, name))]));
  const y = sums((row) => at(row, 'conversions') * at(row, 'revenue_per_conversion'));
  return { weeks, y, spend: columns(spends), controls: columns(controls) };
}
