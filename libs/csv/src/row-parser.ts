import csv from 'csv-parser';
import { MAX_RECORD_BYTES } from './record-scanner.js';
import type { FieldSeparator } from './separator.js';

/**
 * csv-parser, set up so that none of its traps can be met, for bytes that `RecordGuard` let pass.
 *
 * `headers: []` turns off header reading and newline sniffing as `false` does, and costs a fifth less time: `false` makes
 * the parser look up each header in a boolean. `writeRow` is replaced because its row objects and their trip through the
 * object stream take as long again as the parsing. csv-parser is pinned exactly; should a release rename the method, no
 * row arrives, and `readCsv` fails on the count.
 */
export class RowParser {
  private readonly parser: csv.CsvParser;
  private rows: string[][] = [];

  constructor(separator: FieldSeparator) {
    const lineEndBytes = 2;
    this.parser = csv({ headers: [], strict: false, separator, maxRowBytes: MAX_RECORD_BYTES + lineEndBytes });
    const takeRow = (cells: string[]): void => {
      this.rows.push(cells);
    };
    Object.assign(this.parser, { writeRow: takeRow });
    // The callback of write() reports errors; without a listener they would end the process as well.
    this.parser.on('error', () => undefined);
  }

  /** The rows of whole records, each with its line end. csv-parser unescapes quotes in place, so `records` is changed. */
  async parse(records: Buffer): Promise<string[][]> {
    await new Promise<void>((resolve, reject) => {
      this.parser.write(records, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  destroy(): void {
    this.parser.destroy();
  }
}
