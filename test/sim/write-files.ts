import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TrafficSession } from '#apps/integrity/src/detection/traffic.js';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { keyedColumn, type TableRow } from '#csv/column.js';
import { writeCsv } from '#csv/write-csv.js';
import type { SimulatedTraffic } from './scenario.js';

const TRUTH = [
  ...(['network', 'host', 'session', 'profile'] as const).map((key) => keyedColumn(key, 'text')),
  keyedColumn('is_bot', 'boolean'),
];

/** Writes `raw-events.csv` in the 16 columns of the export, and `truth.csv` with a line for each session. */
export async function writeFiles(
  directory: string,
  traffic: SimulatedTraffic,
  sessions: readonly TrafficSession[],
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const events = writeCsv(traffic.events as readonly TableRow[], { columns: RAW_EVENTS_LAYOUT });
  const truth = writeCsv(truthOf(traffic, sessions), { columns: TRUTH, escapeFormulas: false });
  for (const [name, file] of [
    ['raw-events.csv', events],
    ['truth.csv', truth],
  ] as const)
    await pipeline(Readable.from(file.chunks), createWriteStream(join(directory, name)));
}

function* truthOf({ actors }: SimulatedTraffic, sessions: readonly TrafficSession[]): Generator<TableRow> {
  for (const { net, host, key, visitor } of sessions) {
    const actor = actors.get(visitor);
    yield { network: net, host, session: key, profile: actor?.profile ?? '', is_bot: actor?.isBot ?? false };
  }
}
