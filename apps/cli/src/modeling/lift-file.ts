import type { LiftInput } from '#apps/mmm-lift/src/lift/lift-input.js';
import { CommandFailure } from '../session.js';
import { readLongSeries } from './long-series.js';
import { positionOf, seriesGrid } from './positions.js';
import { CsvTable } from './read-table.js';
import { readWideSeries } from './wide-series.js';

/** Fewer rows have no deviation to measure a lift with. */
const LEAST_BEFORE = 3;

export interface LiftFileOptions {
  /** Undefined: the rows are numbered from 1. */
  date: string | undefined;
  target: string;
  /** The column of places of a long file; undefined for a wide one. */
  place: string | undefined;
  treated: readonly string[];
  /** Of a long file; empty: all other places. */
  controls: readonly string[];
  /** Of a wide file. */
  controlColumns: readonly string[];
  /** Dates, row numbers, or numbers of the column of dates. */
  testFrom: string;
  testTo: string;
  /** Undefined: the first row. */
  preFrom: string | undefined;
  /** Undefined: 7 for days, else 1. */
  period: 7 | 1 | undefined;
  seed: number;
}

/** Series of a file by the positions of its grid. */
export interface FileSeries {
  y: (number | null)[];
  controls: { name: string; values: number[] }[];
  treated: string[];
}

/**
 * The input of a lift test from a file with one row for each period and series (long), or one for each period (wide).
 * Days and weeks without a row are missing; rows after the test are left out.
 *
 * @throws CommandFailure naming what is wrong, with line and column where there is one
 */
export async function readLiftFile(path: string, options: LiftFileOptions): Promise<LiftInput> {
  const table = await CsvTable.read(path);
  const grid = seriesGrid(table, options.date, options.place !== undefined);
  const [first, from, to] = [
    options.preFrom === undefined ? 0 : positionOf(grid, options.preFrom, 'first'),
    positionOf(grid, options.testFrom, 'first'),
    positionOf(grid, options.testTo, 'last'),
  ];
  if (to < from) throw new CommandFailure('The test ends before it begins: look at --test-from and --test-to.');
  if (from - first < LEAST_BEFORE) {
    throw new CommandFailure(`There are fewer than ${LEAST_BEFORE} periods before the test.`);
  }
  const series =
    options.place === undefined ? readWideSeries(table, grid, options) : readLongSeries(table, grid, options);
  return {
    metric: options.target,
    isCount: false,
    days: grid.labels.slice(first, to + 1),
    preLength: from - first,
    tailLength: 0,
    y: series.y.slice(first, to + 1),
    controls: series.controls.map(({ name, values }) => ({ name, values: values.slice(first, to + 1) })),
    period: options.period ?? (grid.step === 'day' ? 7 : 1),
    treated: series.treated,
    organic: null,
    spend: null,
    conversionValue: null,
    averageOrderValue: null,
    currency: null,
    droppedControls: [],
    warnings: [],
    seed: options.seed,
  };
}
