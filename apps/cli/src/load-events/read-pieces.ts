import { BodyLines } from '#apps/gateway/src/collect/body-lines.js';
import { COLLECT_MAX_LINE_BYTES, type CollectKind } from '#contracts/collect/collect-report.js';
import { InputFileError } from '#csv/csv-error.js';
import { readCsv } from '#csv/read-csv.js';
import { CommandFailure } from '../session.js';
import { CsvRecords } from './csv-records.js';
import { openFile } from './open-file.js';
import { PieceBuilder, type Piece } from './pieces.js';

const BRACE = 0x7b;
/** White space, and the bytes of a byte-order mark. */
const SKIPPED = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Cuts a file into bodies for the gateway, in flat memory. NDJSON goes as it is; a CSV file becomes NDJSON. Which it is
 * the name says (`.csv`, `.ndjson`, `.jsonl`, with `.gz` or without), else the first character: that of NDJSON is `{`.
 *
 * @throws CommandFailure when the file can't be read, is no CSV, or its header lacks a required column
 */
export async function* readPieces(
  path: string,
  kind: CollectKind,
  onRead: (bytes: number) => void,
): AsyncGenerator<Piece> {
  const source = openFile(path, onRead);
  try {
    const first = await source.next();
    if (first.done === true) return;
    const bytes = withFirst(first.value, source);
    yield* isCsv(path, first.value) ? csvPieces(bytes, kind) : linePieces(bytes);
  } catch (error) {
    if (!(error instanceof InputFileError)) throw error;
    throw new CommandFailure(`${path} can't be read as CSV: ${error.message}`);
  } finally {
    await source.return(undefined);
  }
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function isCsv(path: string, start: Buffer): boolean {
  const [, extension] = /\.(csv|ndjson|jsonl)(?:\.gz)?$/i.exec(path) ?? [];
  if (extension !== undefined) return extension.toLowerCase() === 'csv';
  return ![BRACE, undefined].includes(start.find((byte) => !SKIPPED.has(byte)));
}

async function* linePieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const lines = new BodyLines();
  const builder = new PieceBuilder();
  for await (const chunk of bytes) {
    for (const { line, bytes: text } of lines.cut(chunk)) {
      if (text === undefined) builder.addTooLong(line);
      else yield* present(builder.add(text, line));
    }
  }
  for (const { line, bytes: text } of lines.end()) {
    if (text === undefined) builder.addTooLong(line);
    else yield* present(builder.add(text, line));
  }
  yield* present(builder.take());
}

async function* csvPieces(bytes: AsyncIterable<Buffer>, kind: CollectKind): AsyncGenerator<Piece> {
  const builder = new PieceBuilder();
  let rows: CsvRecords | undefined;
  for await (const { records } of readCsv(bytes)) {
    for (const { cells, fileLine } of records) {
      if (rows === undefined) {
        rows = new CsvRecords(kind, cells);
        continue;
      }
      const line = rows.line(cells);
      if (line.length > COLLECT_MAX_LINE_BYTES) builder.addTooLong(fileLine);
      else yield* present(builder.add(line, fileLine));
    }
  }
  yield* present(builder.take());
}

function present(piece: Piece | undefined): Piece[] {
  return piece === undefined ? [] : [piece];
}
