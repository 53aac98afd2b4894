import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { forgetMessages } from '#ingest/forget-messages.js';
import { IngestConfig, ingestWriters } from '#ingest/ingest.config.js';
import { abandonDeadRebuilds } from '#apps/reporting/src/rollups/dead-rebuilds.js';
import { tryLockRebuild, unlockRebuild } from '#apps/reporting/src/rollups/rebuild-lock.js';
import { createDataSource } from '#database/data-source.js';
import { Chance } from '../fixtures/event-streams.js';
import { arrivalsOfTwo, newAsset, writer } from '../fixtures/ingest-steps.js';
import { reportNumbers } from '../fixtures/reporting-oracle.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import { startService, type TestService } from '../support/service.js';

const STREAM = { events: 120, visitors: 5, users: 3, from: '2025-06-01T00:00:00Z' };

let service: TestService;
let dataSource: DataSource;

beforeAll(async () => {
  service = await startService({ INGEST_INBOX_DAYS: '10' });
  ({ dataSource } = service);
});

afterAll(async () => {
  await service.stop();
});

async function count(table: string): Promise<number | undefined> {
  const [row] = await dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM reporting.${table}`);
  return row?.count;
}

it('forgets messages after their days, not before', async () => {
  await dataSource.query(
    `INSERT INTO reporting.inbox VALUES ('old', now() - interval '11 days'), ('young', now() - interval '9 days')`,
  );
  expect(await forgetMessages(service.dataSource, 'reporting', 10)).toBe(1);
  expect(await dataSource.query('SELECT message_id FROM reporting.inbox')).toEqual([{ message_id: 'young' }]);
});

it('ends a rebuild whose process has died, and none that lives', async () => {
  const assetId = await newAsset(dataSource, 'UTC');
  const { events, identities, steps } = arrivalsOfTwo(new Chance(1), STREAM, 3);
  await dataSource.query('INSERT INTO reporting.asset_state (asset_id, building) VALUES ($1, 2)', [assetId]);
  for (const own of steps) await writer(dataSource, assetId, own);
  await dataSource.query(
    'INSERT INTO reporting.rollup_day SELECT asset_id, 2, kind, day, dim_id, 1, 1, 1, 1 FROM reporting.rollup_day',
  );
  expect(await count('rebuild_log')).toBeGreaterThan(0);

  const runner = dataSource.createQueryRunner();
  const living = (await runner.connect()) as PoolClient;
  expect(await tryLockRebuild(living, assetId)).toBe(true);
  expect(await abandonDeadRebuilds(dataSource)).toBe(0);
  await unlockRebuild(living, assetId);
  await runner.release();

  expect(await abandonDeadRebuilds(dataSource)).toBe(1);
  expect(await count('rebuild_log')).toBe(0);
  expect(await count('rollup_day WHERE version = 2')).toBe(0);
  expect(await count('asset_state WHERE building IS NOT NULL')).toBe(0);
  expect(await storedNumbers(dataSource, assetId)).toEqual(reportNumbers(events, identities, 'UTC'));
});

it('takes events with two writers and a pool of two', async () => {
  const small = await createDataSource({ DATABASE_URL: service.databaseUrl, DATABASE_POOL_SIZE: 2 }).initialize();
  try {
    const { events, identities, steps } = arrivalsOfTwo(new Chance(2), STREAM, 3);
    const assetId = await newAsset(small, 'UTC');
    await Promise.all(steps.map((own) => writer(small, assetId, own)));
    expect(await storedNumbers(small, assetId)).toEqual(reportNumbers(events, identities, 'UTC'));
  } finally {
    await small.destroy();
  }
});

it('leaves half of the connections to others', () => {
  const config = Object.assign(new IngestConfig(), { INGEST_WRITERS: 4 });
  const writers = [2, 3, 5, 8, 20].map((size) => ingestWriters(config, { DATABASE_POOL_SIZE: size }));
  expect(writers).toEqual([1, 1, 2, 4, 4]);
});
