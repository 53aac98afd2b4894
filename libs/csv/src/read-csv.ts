import { setImmediate } from 'node:timers/promises';
import { RecordGuard } from './record-guard.js';
import { RowParser } from './row-parser.js';

export interface CsvRecord {
  /** Record number: comments and empty lines do not count, the first record is 1. */
  line: number;
  /** Physical line of the file on which the record begins, the first is 1. */
  fileLine: number;
  /** At least one; unquoted, not trimmed. */
  cells: readonly string[];
}

export interface CsvBatch {
  records: CsvRecord[];
  /** Bytes of the source taken so far; the records of the last few may still be to come. */
  bytesRead: number;
}

/**
 * Reads a CSV file as contract.md §2 has it: UTF-8 with or without byte-order mark, `,` `;` or TAB, comments and empty
 * lines left out, records of differing lengths as they are. Header or not is the caller's business.
 *
 * Yields a batch for about every 64 KiB; a batch may be empty, and the last one has all bytes counted. Memory does not
 * grow with the file or its chunks, the chunks are left unchanged, and the event loop turns between two batches.
 * @throws InputFileError `malformed_csv` or `invalid_encoding`, after the batches before the fault; errors of `source` as they are
 */
export async function* readCsv(source: AsyncIterable<Buffer>): AsyncGenerator<CsvBatch, void, undefined> {
  const reader = new CsvReader();
  let bytesRead = 0;
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length;) {
        const count = reader.guard.fill(chunk, at);
        at += count;
        bytesRead += count;
        if (!reader.guard.isReady) continue;
        yield { records: await reader.take(false), bytesRead };
        // A source in memory never waits for anything, and heartbeats would.
        await setImmediate();
      }
    }
    yield { records: await reader.take(true), bytesRead };
  } finally {
    reader.destroy();
  }
}

class CsvReader {
  readonly guard = new RecordGuard();
  private parser: RowParser | undefined;
  private line = 0;

  async take(final: boolean): Promise<CsvRecord[]> {
    const { bytes, fileLines } = this.guard.take(final);
    const { separator } = this.guard;
    if (fileLines.length === 0 || separator === undefined) return [];
    this.parser ??= new RowParser(separator);
    const rows = await this.parser.parse(bytes);
    if (rows.length !== fileLines.length) {
      throw new Error(`csv-parser made ${rows.length} rows of ${fileLines.length} records after record ${this.line}`);
    }
    return rows.map((cells, index) => ({ line: ++this.line, fileLine: fileLines[index] ?? 0, cells }));
  }

  destroy(): void {
    this.parser?.destroy();
  }
}
