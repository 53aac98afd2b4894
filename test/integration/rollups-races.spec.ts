import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { EventIngest } from '#apps/reporting/src/ingest/event-ingest.js';
import { lockRollups } from '#apps/reporting/src/ingest/locks.js';
import { replay } from '#apps/reporting/src/rollups/rebuild-log.js';
import { rebuildRollups } from '#apps/reporting/src/rollups/rebuild-rollups.js';
import { createDataSource } from '#database/data-source.js';
import { Chance, randomEvents, type SentEvent } from '../fixtures/event-streams.js';
import { newAsset } from '../fixtures/ingest-steps.js';
import { reportNumbers } from '../fixtures/reporting-oracle.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const STREAM = { events: 100, visitors: 4, users: 3, from: '2025-06-01T00:00:00Z' };

let database: TestDatabase;
let dataSource: DataSource;
/** Connections of their own that stand in the way. */
let other: pg.Client;
let another: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 5 }).initialize();
  other = new pg.Client({ connectionString: database.url });
  another = new pg.Client({ connectionString: database.url });
  await Promise.all([other.connect(), another.connect()]);
});

afterAll(async () => {
  await Promise.all([other.end(), another.end()]);
  await dataSource.destroy();
  await database.drop();
});

function ingest(assetId: string, events: readonly SentEvent[]): Promise<unknown> {
  const records = JSON.parse(JSON.stringify(events)) as unknown[];
  return new EventIngest(dataSource).ingest(assetId, [{ id: uuidv7(), source: '/tallyport/gateway', records }]);
}

/** Resolves when somebody waits for a lock of this kind. */
async function someoneWaits(locktype: 'advisory' | 'transactionid' | 'relation'): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const waiting = await dataSource.query<unknown[]>(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.datname = current_database() AND (l.database = d.oid OR l.locktype = 'transactionid')
        WHERE NOT l.granted AND l.locktype = $1`,
      [locktype],
    );
    if (waiting.length > 0) return;
    await sleep(10);
  }
  throw new Error(`Nobody waits for a lock: ${locktype}.`);
}

it('a batch that wrote sessions of a version which was replaced meanwhile is done again', async () => {
  const events = randomEvents(new Chance(1), STREAM);
  const assetId = await newAsset(dataSource, 'UTC');
  await ingest(assetId, events.slice(0, 50));
  await other.query('BEGIN');
  await lockRollups(other as unknown as pg.PoolClient, assetId);
  const late = ingest(assetId, events.slice(50));
  await someoneWaits('advisory');
  await other.query(`INSERT INTO reporting.asset_state (asset_id, version) VALUES ('${assetId}', 2)`);
  for (const table of ['session_part', 'rollup_day', 'user_gap', 'outcome_rollup']) {
    await other.query(
      `INSERT INTO reporting.${table} SELECT (jsonb_populate_record(t, '{"version": 2}')).* FROM reporting.${table} t WHERE asset_id = '${assetId}'`,
    );
  }
  await other.query('COMMIT');
  await late;
  expect(await storedNumbers(dataSource, assetId)).toEqual(reportNumbers(events, [], 'UTC'));
  const old = await dataSource.query<{ events: number }[]>(
    'SELECT sum(events)::int AS events FROM reporting.session_part WHERE asset_id = $1 AND version = 1',
    [assetId],
  );
  expect(old).toEqual([{ events: 50 }]);
});

it('a rebuild waits for a batch that is about to commit, else that would be in neither its snapshot nor its notes', async () => {
  const events = randomEvents(new Chance(2), STREAM);
  const assetId = await newAsset(dataSource, 'UTC');
  await ingest(assetId, events.slice(0, 50));
  // Holds the rebuild up before its snapshot, where it deletes what a dead one has left.
  await dataSource.query(
    `INSERT INTO reporting.rollup_day SELECT asset_id, 7, kind, day, dim_id, 1, 1, 1, 1 FROM reporting.rollup_day WHERE asset_id = $1`,
    [assetId],
  );
  await another.query('BEGIN; LOCK TABLE reporting.frequent_person_day IN SHARE MODE');
  const rebuilt = rebuildRollups(dataSource, assetId);
  await someoneWaits('relation');
  // Holds the batch up at the last thing that it writes.
  await other.query('BEGIN');
  await other.query(`UPDATE reporting.processed SET records = records WHERE asset_id = '${assetId}'`);
  const late = ingest(assetId, events.slice(50));
  await someoneWaits('transactionid');
  await another.query('COMMIT');
  await someoneWaits('advisory');
  await other.query('COMMIT');
  await Promise.all([late, rebuilt]);
  expect(await storedNumbers(dataSource, assetId)).toEqual(reportNumbers(events, [], 'UTC'));
});

it('what the ingest notes for a version that is being built makes it whole, however it is cut', async () => {
  const events = randomEvents(new Chance(3), STREAM);
  const assetId = await newAsset(dataSource, 'UTC');
  await dataSource.query('INSERT INTO reporting.asset_state (asset_id, building) VALUES ($1, 2)', [assetId]);
  for (let at = 0; at < events.length; at += 20) await ingest(assetId, events.slice(at, at + 20));
  await other.query('BEGIN');
  expect(await replay(other as unknown as pg.PoolClient, assetId, 2, 3)).toBe(3);
  expect(await replay(other as unknown as pg.PoolClient, assetId, 2, 10)).toBe(2);
  await other.query('COMMIT');
  const expected = reportNumbers(events, [], 'UTC');
  expect(await storedNumbers(dataSource, assetId)).toEqual(expected);
  await dataSource.query('UPDATE reporting.asset_state SET version = 2, building = NULL WHERE asset_id = $1', [
    assetId,
  ]);
  expect(await storedNumbers(dataSource, assetId)).toEqual(expected);
});
