import { formatCell, type Column } from './column.js';
import { looksLikeFormula } from './formula.js';
import { writeCsv, type CsvFile } from './write-csv.js';

/** One line of a block: the header of a column and its cell. */
export interface KeyValue {
  key: string;
  value: string;
}

/** One row as lines of keys and values: what the columns hold, each formatted by its type. */
export function keyValues<Row>(columns: readonly Column<Row>[], row: Row): KeyValue[] {
  return columns.map((column) => ({ key: column.header, value: formatCell(column, column.value(row)) }));
}

/**
 * A block of lines `key,value`, without a header. The values of text columns get a `'` before what looks like a formula;
 * `rows` counts the lines.
 */
export function writeKeyValues<Row>(
  row: Row,
  { columns, bom, escapeFormulas = true }: { columns: readonly Column<Row>[]; bom?: boolean; escapeFormulas?: boolean },
): CsvFile {
  let formulasEscaped = 0;
  const lines = keyValues(columns, row).map(({ key, value }, index) => {
    const { type, neverFormula } = columns[index] ?? {};
    const isSafe = type !== 'text' || !looksLikeFormula(value) || neverFormula?.test(value) === true;
    if (!escapeFormulas || isSafe) return { key, value };
    formulasEscaped++;
    return { key, value: `'${value}` };
  });
  const file = writeCsv(lines, {
    columns: LINE,
    header: false,
    escapeFormulas: false,
    ...(bom === undefined ? {} : { bom }),
  });
  return { chunks: file.chunks, rows: lines.length, formulasEscaped };
}

const LINE: readonly Column<KeyValue>[] = [
  { key: 'key', header: 'key', type: 'id', value: ({ key }) => key },
  { key: 'value', header: 'value', type: 'id', value: ({ value }) => value },
];
