import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { bytesOf } from '#csv/bytes-of.js';
import { writeCsv } from '#csv/write-csv.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { copiesInTurn } from './copies-in-turn.js';
import { eventsPerDay, instantsApart, totalOf } from './events-per-day.js';
import { instantText, localRange, type InstantRange } from './local-range.js';
import { rawEventsCopy } from './raw-events-copy.js';

/** For fewer events a second connection is not worth its making. */
const EVENTS_FOR_TWO = 50_000;
/** About 4 MB. */
const EVENTS_OF_PIECE = 20_000;
const SAMPLE_ROWS = 500;

/**
 * `raw-events.csv`: without a cap, at the speed of COPY. A large range is read in pieces of time, on two connections of one
 * snapshot.
 */
export const rawEventsExport: ExportDefinition = {
  file: 'raw-events',
  heavy: true,

  fileName: () => 'raw-events.csv',

  async content(snapshot, request) {
    const range = localRange(request);
    const formulasEscaped = await formulasToEscape(snapshot, request, range);
    const days = await eventsPerDay(snapshot, request);
    const second = totalOf(days) < EVENTS_FOR_TWO ? undefined : await snapshot.second();
    const middles = second === undefined ? [] : instantsApart(EVENTS_OF_PIECE, days, request.parameters.asset.timezone);
    const pieces = [range.from, ...middles].map((from, index) => ({ from, until: middles[index] ?? range.until }));
    const copies = pieces.map((piece) =>
      rawEventsCopy({ assetId: request.assetId, range: piece, escapeFormulas: formulasEscaped > 0 }),
    );
    const connections = second === undefined ? [snapshot] : [snapshot, second];
    for (const connection of connections) await readByIndex(connection);
    let rows = 0;
    const copied = copiesInTurn(copies, connections, (count) => {
      rows += count;
    });
    return {
      chunks: fileChunks(copied, request),
      counts: () => ({ rows, formulasEscaped }),
      limit: null,
      truncated: 0,
      columnsOmitted: [],
      holdsCost: false,
    };
  },

  async estimate(snapshot, request) {
    const range = localRange(request);
    const rows = totalOf(await eventsPerDay(snapshot, request));
    const sample = rawEventsCopy({ assetId: request.assetId, range, escapeFormulas: false, limit: SAMPLE_ROWS });
    await readByIndex(snapshot);
    const bytes = await bytesOf(snapshot.copyTo(sample));
    const bytesBeside = (await bytesOf(header(request))) + (await formulasToEscape(snapshot, request, range));
    return { rows, bytesPerRow: rows === 0 ? 0 : bytes / Math.min(rows, SAMPLE_ROWS), limit: null, bytesBeside };
  },
};

/**
 * An index has the order of the file. Left alone, the planner sorts each piece, and starts two workers for it: half as much
 * work again.
 */
async function readByIndex(connection: ExportSnapshot): Promise<void> {
  await connection.query(
    `SELECT set_config('enable_sort', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`,
  );
}

/** How many cells of the file get a `'`; an index knows the events that have any that look like a formula. */
async function formulasToEscape(
  snapshot: ExportSnapshot,
  { assetId, parameters }: ExportRequest,
  { from, until }: InstantRange,
): Promise<number> {
  if (!parameters.escapeFormulas) return 0;
  const [found] = await snapshot.query<{ cells: string }>(
    `SELECT COALESCE(sum(formula_cells), 0) AS cells FROM reporting.event
      WHERE asset_id = $1 AND event_time >= $2 AND event_time < $3 AND formula_cells > 0`,
    [assetId, instantText(from), instantText(until)],
  );
  return Number(found?.cells ?? 0);
}

async function* fileChunks(rows: AsyncIterable<Buffer>, request: ExportRequest): AsyncGenerator<Buffer> {
  yield* header(request);
  yield* rows;
}

function header({ parameters }: ExportRequest): AsyncIterable<Buffer> {
  return writeCsv([], { columns: RAW_EVENTS_LAYOUT, bom: parameters.bom ?? false }).chunks;
}
