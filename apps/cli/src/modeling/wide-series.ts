import type { FileSeries, LiftFileOptions } from './lift-file.js';
import type { SeriesGrid } from './positions.js';
import type { CsvTable } from './read-table.js';

/**
 * The series of a file with one row for each period. An empty target is missing. A period without a row is missing too;
 * its controls are those of the period before, which changes nothing: no likelihood knows that period.
 *
 * @throws CommandFailure for a period that stands twice, or a control without a number
 */
export function readWideSeries(
  table: CsvTable,
  { labels, positions }: SeriesGrid,
  { date, target, controlColumns }: LiftFileOptions,
): FileSeries {
  const targetColumn = table.column(target);
  const columns = controlColumns.map((name) => table.column(name));
  const y = labels.map((): number | null => null);
  const cells = labels.map((): number[] | undefined => undefined);
  for (const [index, row] of table.rows.entries()) {
    const position = positions[index] ?? 0;
    if (cells[position] !== undefined) {
      const column = date === undefined ? 0 : table.column(date);
      throw table.wrong(
        row,
        column,
        `${labels[position] ?? ''} stands on an earlier line already, give one row for it`,
      );
    }
    y[position] = table.number(row, targetColumn) ?? null;
    cells[position] = columns.map((column) => {
      const value = table.number(row, column);
      if (value === undefined) throw table.wrong(row, column, 'a control needs a number in every row');
      return value;
    });
  }
  const controls = controlColumns.map((name, control) => {
    let last = 0;
    return { name, values: cells.map((row) => (last = row?.[control] ?? last)) };
  });
  return { y, controls: controls.sort((a, b) => (a.name < b.name ? -1 : 1)), treated: [target] };
}
