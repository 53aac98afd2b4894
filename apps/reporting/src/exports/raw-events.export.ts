import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { writeCsv } from '#csv/write-csv.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { privateDirectory, temporaryPath } from '#storage/temporary-file.js';
import { eventsPerDay, middleOf, totalOf } from './events-per-day.js';
import { instantText, localRange, type InstantRange } from './local-range.js';
import { rawEventsCopy } from './raw-events-copy.js';

/** For fewer events a second connection is not worth its making. */
const EVENTS_FOR_TWO = 50_000;
const BUFFER_BYTES = 256 * 1024;
const SAMPLE_ROWS = 500;

/** A COPY whose rows are known once it has ended and its connection is free again. */
interface CopyPart {
  snapshot: ExportSnapshot;
  start(): Readable;
  rows: number;
}

/**
 * `raw-events.csv`: without a cap, at the speed of COPY. A large range is read in two halves at once, on two connections of
 * one snapshot; the second half waits in a file until the first has left.
 */
export const rawEventsExport: ExportDefinition = {
  file: 'raw-events',
  heavy: true,

  fileName: () => 'raw-events.csv',

  async content(snapshot, request) {
    const range = localRange(request);
    const found = await formulaCellsOf(snapshot, request, range);
    const formulasEscaped = request.parameters.escapeFormulas ? found : 0;
    const days = await eventsPerDay(snapshot, request);
    const second = totalOf(days) < EVENTS_FOR_TWO ? undefined : await snapshot.second();
    const part = (on: ExportSnapshot, of: InstantRange): CopyPart => ({
      snapshot: on,
      start: () =>
        on.copyTo(rawEventsCopy({ assetId: request.assetId, range: of, escapeFormulas: formulasEscaped > 0 })),
      rows: 0,
    });
    const middle = second === undefined ? range.until : middleOf(days, request.parameters.asset.timezone);
    const parts = [
      part(snapshot, { from: range.from, until: middle }),
      ...(second === undefined ? [] : [part(second, { from: middle, until: range.until })]),
    ];
    return {
      chunks: fileChunks(parts, request),
      counts: () => ({ rows: parts.reduce((rows, each) => rows + each.rows, 0), formulasEscaped }),
      limit: null,
      truncated: 0,
      columnsOmitted: [],
      holdsCost: false,
    };
  },

  async estimate(snapshot, request) {
    const rows = totalOf(await eventsPerDay(snapshot, request));
    const sample = rawEventsCopy({
      assetId: request.assetId,
      range: localRange(request),
      escapeFormulas: false,
      limit: SAMPLE_ROWS,
    });
    let bytes = 0;
    for await (const chunk of snapshot.copyTo(sample)) bytes += (chunk as Buffer).length;
    return { rows, bytesPerRow: rows === 0 ? 0 : bytes / Math.min(rows, SAMPLE_ROWS), limit: null };
  },
};

/** How many cells of the file look like a formula; an index knows the events that have any. */
async function formulaCellsOf(
  snapshot: ExportSnapshot,
  { assetId }: ExportRequest,
  { from, until }: InstantRange,
): Promise<number> {
  const [found] = await snapshot.query<{ cells: string }>(
    `SELECT COALESCE(sum(formula_cells), 0) AS cells FROM reporting.event
      WHERE asset_id = $1 AND event_time >= $2 AND event_time < $3 AND formula_cells > 0`,
    [assetId, instantText(from), instantText(until)],
  );
  return Number(found?.cells ?? 0);
}

async function* fileChunks([first, second]: CopyPart[], request: ExportRequest): AsyncGenerator<Buffer> {
  yield* writeCsv([], { columns: RAW_EVENTS_LAYOUT, bom: request.parameters.bom ?? false }).chunks;
  if (first === undefined) return;
  if (second === undefined) yield* copied(first, first.start());
  else yield* oneAfterTheOther(first, second, request.spoolDirectory);
}

async function* oneAfterTheOther(first: CopyPart, second: CopyPart, directory: string): AsyncGenerator<Buffer> {
  await privateDirectory(directory);
  const path = temporaryPath(directory);
  const [now, later] = [first.start(), second.start()];
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: BUFFER_BYTES });
  const waiting = pipeline(copied(second, later), file);
  // Without this half the other is of no use.
  waiting.catch((error: unknown) => now.destroy(error as Error));
  try {
    yield* copied(first, now);
    await waiting;
    yield* createReadStream(path, { highWaterMark: BUFFER_BYTES }) as AsyncIterable<Buffer>;
  } finally {
    later.destroy();
    await waiting.catch(() => undefined);
    await rm(path, { force: true });
  }
}

async function* copied(part: CopyPart, copy: Readable & { rowCount?: number }): AsyncGenerator<Buffer> {
  yield* copy as AsyncIterable<Buffer>;
  // The number of rows may come after the last of them.
  await part.snapshot.query('SELECT');
  if (copy.rowCount === undefined) throw new Error('COPY did not say how many rows it wrote.');
  part.rows = copy.rowCount;
}
