import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { IdempotencyKeys } from '#apps/gateway/src/idempotency/idempotency-keys.js';
import { RateLimiter } from '#apps/gateway/src/limits/rate-limiter.js';
import { ImportHousekeeping } from '#apps/import-worker/src/import-housekeeping.js';
import { ImportsOutbox } from '#apps/import-worker/src/imports-outbox.js';
import { DeadLetters } from '#messaging/dead-letters.js';
import { ObjectStore } from '#storage/object-store.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const DAY_MS = 86_400_000;

let service: TestService;
let asset: TestAsset;
let importId: string;

beforeAll(async () => {
  service = await startService({
    IMPORT_JOB_DAYS: '10',
    OUTBOX_DAYS: '2',
    IDEMPOTENCY_DAYS: '7',
    STORAGE_IMPORT_DAYS: '30',
  });
  asset = await service.newAsset();
  const response = await upload();
  importId = response.headers.get('x-service-import-id') ?? '';
});

afterAll(async () => {
  await service.stop();
});

function upload(): Promise<Response> {
  return fetch(`${service.baseUrl}/api/v1/cost-import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${asset.token}`, 'Content-Type': 'text/csv', 'Idempotency-Key': 'once' },
    body: 'date,channel,cost\n2026-01-04,Google Ads,10\n',
  });
}

function count(table: string): Promise<number> {
  return service.dataSource
    .query<{ rows: number }[]>(`SELECT count(*)::int AS rows FROM ${table}`)
    .then(([row]) => row?.rows ?? 0);
}

it('keeps what is within its days', async () => {
  expect(await service.app.get(ImportHousekeeping).removeFinishedJobs()).toBe(0);
  expect(await service.app.get(ImportsOutbox).deletePublished(2)).toBe(0);
  expect(await service.app.get(IdempotencyKeys).removeOld()).toBe(0);
  expect(await service.app.get(ObjectStore).expire(new Date())).toBe(0);
});

it('removes uploaded files after their days', async () => {
  const key = `imports/${asset.assetId}/${importId}/upload.csv`;
  const path = join(process.env['STORAGE_DIRECTORY'] ?? '', key);
  expect(existsSync(path)).toBe(true);
  const old = new Date(Date.now() - 31 * DAY_MS);
  await utimes(path, old, old);
  expect(await service.app.get(ObjectStore).expire(new Date())).toBe(1);
  expect(existsSync(path)).toBe(false);
});

it('removes idempotency keys after their days, and the key is free again', async () => {
  await service.dataSource.query(`UPDATE access.idempotency_key SET created_at = now() - interval '8 days'`);
  expect(await service.app.get(IdempotencyKeys).removeOld()).toBe(1);
  const again = await upload();
  expect(again.status).toBe(200);
  expect(again.headers.get('x-service-import-id')).not.toBe(importId);
});

it('removes published outbox rows after their days, never those that wait', async () => {
  await service.dataSource.query(
    `UPDATE imports.outbox SET published_at = now() - interval '3 days' WHERE published_at IS NOT NULL`,
  );
  const waiting = `INSERT INTO imports.outbox (id, topic, key, payload, created_at, parked_at) VALUES (gen_random_uuid(), 'cost-import.failed.v1', 'x', '{}', now() - interval '9 days', now())`;
  await service.dataSource.query(waiting);
  expect(await service.app.get(ImportsOutbox).deletePublished(2)).toBeGreaterThan(0);
  expect(await count(`imports.outbox WHERE parked_at IS NOT NULL`)).toBe(1);
});

it('removes finished imports with their reports after their days, and leaves the costs', async () => {
  await service.dataSource.query(`UPDATE imports.job SET finished_at = now() - interval '11 days'`);
  expect(await service.app.get(ImportHousekeeping).removeFinishedJobs()).toBe(2);
  expect(await count('imports.job')).toBe(0);
  expect(await count('imports.report')).toBe(0);
  expect(await count('imports.cost_row')).toBe(1);
});

it('removes rate windows that are over', async () => {
  await service.dataSource.query(`UPDATE access.rate_window SET window_start = now() - interval '1 hour'`);
  expect(await service.app.get(RateLimiter).removeOld()).toBeGreaterThan(0);
  expect(await count('access.rate_window')).toBe(0);
});

it('removes dead letters after 30 days, replayed or not', async () => {
  await service.dataSource.query(
    `INSERT INTO messaging.dead_letter (id, topic, key, value, headers, created_at)
     SELECT gen_random_uuid(), 'events.collected.v1', 'k', 'v', '{}', now() - days * interval '1 day' FROM unnest(ARRAY[29, 31, 400]) AS days`,
  );
  expect(await service.app.get(DeadLetters).deleteOld()).toBe(2);
  expect(await count('messaging.dead_letter')).toBe(1);
});
