import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MixRun } from '#contracts/modeling/mix-run.js';
import type { SimulatedTest, WeeklySeries } from '../sim/mixes/simulate-mix.js';
import type { Bench } from './bench.js';

/** Cells of a simple CSV file, quotes taken off; the first row is the header. */
export function readCells(path: string): string[][] {
  const lines = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  return lines.map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
}

export function writeCells(bench: Bench, name: string, rows: readonly (readonly (string | number)[])[]): string {
  const path = join(bench.folder, `${name}.csv`);
  writeFileSync(path, rows.map((row) => `${row.join(',')}\n`).join(''));
  return path;
}

export interface FitOptions {
  tests?: readonly SimulatedTest[];
  seed?: number;
}

/** The words that fit a model to series, which are written to a file. */
export function mixWords(bench: Bench, name: string, series: WeeklySeries, { tests, seed }: FitOptions = {}): string[] {
  const { weeks, y, spend, controls } = series;
  const columns = { ...spend, ...controls };
  const file = writeCells(bench, name, [
    ['week', 'y', ...Object.keys(columns)],
    ...weeks.map((week, index) => [
      week,
      y[index] ?? '',
      ...Object.values(columns).map((column) => column[index] ?? ''),
    ]),
  ]);
  const words = ['mmm', 'fit', file, '--date', 'week', '--target', 'y', '--channels', Object.keys(spend).join(',')];
  if (Object.keys(controls).length > 0) words.push('--controls', Object.keys(controls).join(','));
  if (seed !== undefined) words.push('--seed', String(seed));
  if (tests !== undefined) {
    const path = join(bench.folder, `${name}-tests.json`);
    writeFileSync(path, JSON.stringify(tests));
    words.push('--lift-tests', path);
  }
  return words;
}

export function fitSeries(bench: Bench, name: string, series: WeeklySeries, options?: FitOptions): Promise<MixRun> {
  return bench.threads.tallyport<MixRun>(...mixWords(bench, name, series, options));
}
