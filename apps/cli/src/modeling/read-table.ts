import { InputFileError } from '#csv/csv-error.js';
import { readCsv, type CsvRecord } from '#csv/read-csv.js';
import { openFile } from '../load-events/open-file.js';
import { CommandFailure } from '../session.js';
import { parseDay } from './parse-day.js';

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A CSV file whose first record names the columns, in memory. What is wrong with a cell is said with line and column. */
export class CsvTable {
  private constructor(
    readonly path: string,
    /** Trimmed; a name that stands twice counts the first time. */
    readonly header: readonly string[],
    readonly rows: readonly CsvRecord[],
  ) {}

  /** @throws CommandFailure when the file can't be read, is no CSV, or has no row below its header */
  static async read(path: string): Promise<CsvTable> {
    const records: CsvRecord[] = [];
    try {
      for await (const batch of readCsv(openFile(path, () => undefined))) records.push(...batch.records);
    } catch (error) {
      if (error instanceof InputFileError) throw new CommandFailure(`${path} can't be read as CSV: ${error.message}`);
      throw error;
    }
    const [header, ...rows] = records;
    if (header === undefined || rows.length === 0) throw new CommandFailure(`${path} has no rows.`);
    return new CsvTable(
      path,
      header.cells.map((cell) => cell.trim()),
      rows,
    );
  }

  /** @throws CommandFailure when the header has no such name */
  column(name: string): number {
    const index = this.header.indexOf(name);
    if (index >= 0) return index;
    const known = this.header.filter((cell) => cell !== '').join(', ');
    throw new CommandFailure(`${this.path} has no column ${JSON.stringify(name)}; its columns are ${known}.`);
  }

  /** Trimmed; '' where the row is too short. */
  text(row: CsvRecord, column: number): string {
    return row.cells[column]?.trim() ?? '';
  }

  /** A finite number, or undefined for an empty cell. @throws CommandFailure */
  number(row: CsvRecord, column: number): number | undefined {
    const text = this.text(row, column);
    if (text === '') return undefined;
    const number = NUMBER.test(text) ? Number(text) : NaN;
    if (!Number.isFinite(number)) throw this.wrong(row, column, `${JSON.stringify(text)} is not a number`);
    return number;
  }

  /** `YYYY-MM-DD`. @throws CommandFailure */
  day(row: CsvRecord, column: number): string {
    const text = this.text(row, column);
    const day = parseDay(text);
    if (day === undefined) throw this.wrong(row, column, `${JSON.stringify(text)} is not a date such as 2026-03-01`);
    return day;
  }

  /** A failure that names the place; `what` needs no full stop. */
  wrong(row: CsvRecord, column: number, what: string): CommandFailure {
    const name = JSON.stringify(this.header[column] ?? '');
    return new CommandFailure(`${this.path}, line ${row.fileLine}, column ${name}: ${what}.`);
  }
}
