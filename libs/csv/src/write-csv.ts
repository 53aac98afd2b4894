import { pipeline, Readable } from 'node:stream';
import { format } from '@fast-csv/format';
import { type Column, formatCell } from './column.js';
import { ColumnSums } from './column-sums.js';
import { looksLikeFormula } from './formula.js';

const CHUNK_BYTES = 65_536;

export interface CsvLayout<Row> {
  columns: readonly Column<Row>[];
  /** Begin with a UTF-8 byte-order mark; off by default. */
  bom?: boolean;
  /** Lines above the header, each beginning with `#`; their control characters become spaces. */
  preamble?: readonly string[];
  /** false: no line of headers. */
  header?: boolean;
  /** false: text goes out as it is (`formulas=raw`). */
  escapeFormulas?: boolean;
  /** End with a row of this first cell and the sums of the integer columns, also without data; it is no data row. */
  totalLabel?: string;
}

/** A file that is made while it is read. */
export interface CsvFile {
  /** To be read once. Throws what `rows` throws, and TypeError for a value that does not fit its column. */
  chunks: AsyncIterable<Buffer>;
  /** Data rows so far; final once `chunks` has ended. */
  rows: number;
  /** Cells that got a leading `'` so far, headers included; final once `chunks` has ended. */
  formulasEscaped: number;
}

/**
 * Writes a CSV file: UTF-8, comma, LF, a final newline, quotes only where needed, the header also without rows.
 * `readCsv` reads it back equal, the `'` before formulas aside. NUL characters are left out.
 */
export function writeCsv<Row>(rows: Iterable<Row> | AsyncIterable<Row>, layout: CsvLayout<Row>): CsvFile {
  const file: CsvFile = { chunks: fileChunks(), rows: 0, formulasEscaped: 0 };

  const guarded = (text: string, neverFormula?: RegExp): string => {
    if (layout.escapeFormulas === false || !looksLikeFormula(text) || neverFormula?.test(text) === true) return text;
    file.formulasEscaped++;
    return `'${text}`;
  };

  async function* records(): AsyncGenerator<string[]> {
    const sums = new ColumnSums(layout.columns);
    if (layout.header !== false) yield layout.columns.map((column) => guarded(column.header));
    for await (const row of rows) {
      file.rows++;
      yield layout.columns.map((column) => {
        const text = formatCell(column, column.value(row));
        if (layout.totalLabel !== undefined) sums.add(column, text);
        return column.type === 'text' ? guarded(text, column.neverFormula) : text;
      });
    }
    const { totalLabel } = layout;
    if (totalLabel !== undefined)
      yield layout.columns.map((column, index) => (index === 0 ? totalLabel : sums.text(column)));
  }

  async function* fileChunks(): AsyncGenerator<Buffer> {
    const head = (layout.bom === true ? '\ufeff' : '') + (layout.preamble ?? []).map(preambleLine).join('');
    let pending: Buffer[] = [Buffer.from(head)];
    let pendingBytes = 0;
    for await (const bytes of formatRecords(records())) {
      pending.push(bytes);
      pendingBytes += bytes.length;
      if (pendingBytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pending);
      pending = [];
      pendingBytes = 0;
    }
    if (pending.length > 0) yield Buffer.concat(pending);
  }

  return file;
}

function formatRecords(records: AsyncIterable<string[]>): AsyncIterable<Buffer> {
  // fast-csv looks at this for each cell, right after `transform`. A first cell `#x` would be read as a comment, and the
  // only cell of a record, when empty, as an empty line.
  const quoteCells = [false];
  const formatter = format<string[], string[]>({
    includeEndRowDelimiter: true,
    quoteColumns: quoteCells,
    transform: (record: string[]) => {
      const first = record[0] ?? '';
      quoteCells[0] = first.startsWith('#') || (first === '' && record.length === 1);
      return record;
    },
  });
  // The error reaches the reader of the formatter, which pipeline() destroys with it.
  pipeline(Readable.from(records), formatter, () => undefined);
  return formatter as AsyncIterable<Buffer>;
}

function preambleLine(line: string): string {
  if (!line.startsWith('#')) throw new TypeError(`A line above the header must begin with #: ${line}`);
  return `${line.replace(/\p{Cc}/gu, ' ')}\n`;
}
