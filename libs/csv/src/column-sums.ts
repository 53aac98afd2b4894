import type { Column } from './column.js';

/** Exact sums of the integer columns of a file, whatever their size; unknown cells count as nothing. */
export class ColumnSums<Row> {
  private readonly sums: Map<Column<Row>, bigint>;

  constructor(columns: readonly Column<Row>[]) {
    this.sums = new Map(columns.filter(({ type }) => type === 'integer').map((column) => [column, 0n]));
  }

  /** @param text the formatted cell */
  add(column: Column<Row>, text: string): void {
    const sum = this.sums.get(column);
    if (sum !== undefined && text !== '') this.sums.set(column, sum + BigInt(text));
  }

  /** Empty for a column that is not summed. */
  text(column: Column<Row>): string {
    return String(this.sums.get(column) ?? '');
  }

  /** The columns that are summed, in the order of the file. */
  get columns(): Iterable<Column<Row>> {
    return this.sums.keys();
  }
}
