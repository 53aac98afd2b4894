import type { KeyValue } from '#csv/write-key-values.js';
import { formatCell, type Column } from '#csv/column.js';
import { table } from '../table.js';

/** A summary block and a table as a person reads them: the cells of the file, in aligned columns. */
export function summaryText<Row>(
  summary: readonly KeyValue[],
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  const [title = [], ...lines] = summary.map(({ key, value }) => [key, value]);
  const block = table(title, lines);
  const cells = rows.map((row) => columns.map((column) => formatCell(column, column.value(row))));
  return `${block}\n\n${table(
    columns.map(({ header }) => header),
    cells,
  )}`;
}
