import { CommandFailure } from '../session.js';
import type { FileSeries, LiftFileOptions } from './lift-file.js';
import type { SeriesGrid } from './positions.js';
import type { CsvTable } from './read-table.js';

/**
 * The series of a file with one row for each period and place. The treated places are added up; a period in which none
 * of them has a value is missing. Elsewhere no row, or no value, is 0.
 *
 * @throws CommandFailure for a place that the file does not know or that is both treated and control, and for a period
 * that stands twice
 */
export function readLongSeries(table: CsvTable, grid: SeriesGrid, options: LiftFileOptions): FileSeries {
  const byPlace = seriesOfPlaces(table, grid, options);
  const treated = [...options.treated].sort();
  const names =
    options.controls.length > 0 ? [...options.controls] : [...byPlace.keys()].filter((name) => !treated.includes(name));
  const of = (name: string): (number | undefined)[] => {
    const series = byPlace.get(name);
    if (series === undefined) throw new CommandFailure(`${table.path} has no place ${JSON.stringify(name)}.`);
    return series;
  };
  const both = names.find((name) => treated.includes(name));
  if (both !== undefined) throw new CommandFailure(`${JSON.stringify(both)} is both treated and a control.`);
  const parts = treated.map(of);
  return {
    y: grid.labels.map((_, position) => {
      const values = parts.map((series) => series[position]).filter((value) => value !== undefined);
      return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
    }),
    controls: names.sort().map((name) => ({ name, values: of(name).map((value) => value ?? 0) })),
    treated,
  };
}

function seriesOfPlaces(
  table: CsvTable,
  { labels, positions }: SeriesGrid,
  { target, place }: LiftFileOptions,
): Map<string, (number | undefined)[]> {
  const targetColumn = table.column(target);
  const placeColumn = table.column(place ?? '');
  const byPlace = new Map<string, (number | undefined)[]>();
  const seen = new Set<string>();
  for (const [index, row] of table.rows.entries()) {
    const name = table.text(row, placeColumn);
    if (name === '') throw table.wrong(row, placeColumn, 'the place is empty');
    const position = positions[index] ?? 0;
    const key = `${position} ${name}`;
    if (seen.has(key)) throw table.wrong(row, placeColumn, `${name} has a row for ${labels[position] ?? ''} already`);
    seen.add(key);
    const series = byPlace.get(name) ?? labels.map(() => undefined);
    series[position] = table.number(row, targetColumn);
    byPlace.set(name, series);
  }
  return byPlace;
}
