import { type Column, formatCell } from './column.js';
import { ColumnSums } from './column-sums.js';

const CHUNK_CHARACTERS = 65_536;

export interface JsonLayout<Row> {
  columns: readonly Column<Row>[];
  /** The first member; omitted when absent. */
  metadata?: object;
  /** Name the columns in a member `columns` of `{key, label, type}`; off by default. */
  describeColumns?: boolean;
  /** The member that holds the rows. */
  rowsKey: string;
  /** End with a member `totals`: the sums of the integer columns. Off by default. */
  totals?: boolean;
}

/** A file that is made while it is read. */
export interface JsonFile {
  /** To be read once. Throws what `rows` throws, and TypeError for a value that does not fit its column. */
  chunks: AsyncIterable<Buffer>;
  /** Rows so far; final once `chunks` has ended. */
  rows: number;
}

/**
 * Writes `{metadata, columns, rows, totals}` from the columns of a CSV layout, a row a line, without holding the rows.
 * Numbers keep their digits; unknown text is "", an unknown number or boolean null.
 */
export function writeJson<Row>(rows: Iterable<Row> | AsyncIterable<Row>, layout: JsonLayout<Row>): JsonFile {
  const file: JsonFile = { chunks: fileChunks(), rows: 0 };
  const { columns, metadata, describeColumns = false, rowsKey, totals = false } = layout;

  async function* fileChunks(): AsyncGenerator<Buffer> {
    const sums = new ColumnSums(columns);
    let pending = '{';
    if (metadata !== undefined) pending += `"metadata":${JSON.stringify(metadata)},\n`;
    if (describeColumns) pending += `"columns":${JSON.stringify(columns.map(description))},\n`;
    pending += `${JSON.stringify(rowsKey)}:[`;
    for await (const row of rows) {
      const members = columns.map((column) => {
        const text = formatCell(column, column.value(row));
        if (totals) sums.add(column, text);
        return `${JSON.stringify(column.key)}:${jsonValue(column, row, text)}`;
      });
      pending += `${file.rows++ === 0 ? '' : ','}\n{${members.join(',')}}`;
      if (pending.length < CHUNK_CHARACTERS) continue;
      yield Buffer.from(pending);
      pending = '';
    }
    pending += file.rows === 0 ? ']' : '\n]';
    if (totals) {
      const members = Array.from(sums.columns, (column) => `${JSON.stringify(column.key)}:${sums.text(column)}`);
      pending += `,\n"totals":{${members.join(',')}}`;
    }
    yield Buffer.from(`${pending}}\n`);
  }

  return file;
}

function description<Row>({ key, header, type }: Column<Row>): object {
  return { key, label: header, type };
}

function jsonValue<Row>(column: Column<Row>, row: Row, text: string): string {
  if (column.items !== undefined) return JSON.stringify(column.items(row));
  switch (column.type) {
    case 'integer':
    case 'decimal':
    case 'boolean':
      return text === '' ? 'null' : text;
    case 'text':
    case 'id':
    case 'date':
    case 'timestamp':
      return JSON.stringify(text);
  }
}
