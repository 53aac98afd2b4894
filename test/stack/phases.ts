import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lockKey } from '#ingest/asset-locks.js';
import type { TestAsset } from '../support/service.js';
import type { ServiceProcess, Services } from './processes.js';

/** As `lockRollups` of the ingest. */
const ROLLUPS = 1000;

/** Asks again until the answer is right. @throws Error with the last answer */
export async function until<T>(
  ask: () => T | Promise<T>,
  right: (answer: T) => boolean,
  limitMs = 30_000,
  everyMs = 25,
): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const answer = await ask();
    if (right(answer)) return answer;
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain: ${JSON.stringify(answer)}`);
    await sleep(everyMs);
  }
}

/** The worker that runs the import now. */
export function workerOf(services: Services, workers: ServiceProcess[], importId: string): Promise<ServiceProcess> {
  return holderOf(
    services,
    workers,
    `SELECT locked_by FROM imports.job WHERE import_id = $1 AND status = 'running'`,
    importId,
  );
}

/** The process that builds the export now. */
export function exporterOf(services: Services, processes: ServiceProcess[], exportId: string): Promise<ServiceProcess> {
  return holderOf(
    services,
    processes,
    `SELECT locked_by FROM exports.job WHERE export_id = $1 AND status = 'running'`,
    exportId,
  );
}

async function holderOf(
  { dataSource }: Services,
  workers: ServiceProcess[],
  sql: string,
  id: string,
): Promise<ServiceProcess> {
  const holder = async () => {
    const jobs = await dataSource.query<{ locked_by: string | null }[]>(sql, [id]);
    return workers.find(({ pid }) => jobs[0]?.locked_by?.includes(`-${pid}-`) === true);
  };
  const worker = await until(holder, (found) => found !== undefined, 30_000, 5);
  if (worker === undefined) throw new Error('not reached');
  return worker;
}

/** Freezes the worker in the middle of reading the file. @returns the rows that had come to the database */
export async function freezeWhileReading({ dataSource }: Services, worker: ServiceProcess): Promise<number> {
  const copied = async () => {
    const copies = await dataSource.query<{ rows: number }[]>(
      `SELECT tuples_processed::int AS rows FROM pg_stat_progress_copy WHERE datname = current_database() AND command = 'COPY FROM'`,
    );
    return copies[0]?.rows ?? 0;
  };
  await until(copied, (rows) => rows > 0, 30_000, 2);
  worker.freeze();
  return copied();
}

/** Something of the test's that an import, an export or the ingest has to wait for. */
export interface Hold {
  /** Resolves when it waits. */
  reached: Promise<void>;
  release(): Promise<void>;
}

/** Imports of the asset read their file, and wait before the first row is compared. */
export function holdComparing(services: Services, { assetId }: TestAsset): Promise<Hold> {
  return hold(services, 'SELECT pg_advisory_lock(hashtextextended($1, 0))', [`cost:${assetId}`], 'advisory');
}

/** An import that changes the asset's last row waits in the middle of writing, with other rows written already. */
export function holdWriting(services: Services, { assetId }: TestAsset): Promise<Hold> {
  const lastRow =
    'SELECT 1 FROM imports.cost_row WHERE asset_id = $1 ORDER BY date DESC, source DESC LIMIT 1 FOR UPDATE';
  return hold(services, lastRow, [assetId], 'transactionid');
}

/** A report waits in the middle of its snapshot. */
export function holdBuilding(services: Services): Promise<Hold> {
  return hold(services, 'LOCK TABLE reporting.rollup_day IN ACCESS EXCLUSIVE MODE', [], 'relation');
}

/** An export whose file is stored waits to be ended. */
export function holdEnding(services: Services, exportId: string): Promise<Hold> {
  return hold(services, 'SELECT FROM exports.job WHERE export_id = $1 FOR UPDATE', [exportId], 'transactionid');
}

/** Ingest of the asset waits with events written and nothing committed, before it changes the rollups. */
export function holdIngest(services: Services, { assetId }: TestAsset): Promise<Hold> {
  return hold(services, 'SELECT pg_advisory_xact_lock($1, $2)', [lockKey(assetId), ROLLUPS], 'advisory');
}

async function hold(
  { env, dataSource }: Services,
  statement: string,
  parameters: unknown[],
  event: 'advisory' | 'relation' | 'transactionid',
): Promise<Hold> {
  const client = new pg.Client({ connectionString: env['DATABASE_URL'] });
  client.on('error', () => undefined); // a test may restart the server
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement, parameters);
  const waiting = () =>
    dataSource.query<unknown[]>(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = $1`,
      [event],
    );
  return {
    get reached() {
      return until(waiting, ({ length }) => length > 0).then(() => undefined);
    },
    release: () => client.end(),
  };
}
