import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CostImportReport } from '#contracts/cost-import.js';
import {
  blockWrites,
  call,
  ended,
  IMPORT_PATH,
  refused,
  storedRows,
  until,
  type Answer,
  type ProblemBody,
} from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({
    SYNC_IMPORT_TIMEOUT_MS: '1500',
    ASYNC_IMPORT_TIMEOUT_MS: '1500',
    RATE_LIMIT_IMPORTS_PER_MINUTE: '30',
  });
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const ASYNC = `${IMPORT_PATH}/async`;
const GOOD = 'date,channel,cost\n2024-01-07,Google,1\n';
const OTHER = 'date,channel,cost\n2024-01-07,Google,2\n';
const keyed = { 'Idempotency-Key': 'key-1' };

function post(
  body: string | Buffer,
  headers: Record<string, string> = keyed,
  path = IMPORT_PATH,
): Promise<Answer<CostImportReport & ProblemBody>> {
  return call(service, asset, body, { headers, path });
}

async function jobCount(): Promise<number> {
  const [row] = await service.dataSource.query('SELECT count(*)::int AS jobs FROM imports.job WHERE asset_id = $1', [
    asset.assetId,
  ]);
  return row.jobs as number;
}

describe('the same Idempotency-Key with the same body', () => {
  it('answers with the first report and imports nothing, also when the bytes came by gzip', async () => {
    const first = await post(GOOD);
    await post(OTHER, {});
    for (const again of [
      await post(GOOD),
      await post(gzipSync(GOOD), { ...keyed, 'Content-Encoding': 'gzip' }),
      await post(GOOD, { ...keyed, 'Content-Type': 'text/csv; charset=utf-8' }),
    ]) {
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(again.headers.get('x-service-import-id')).toBe(first.headers.get('x-service-import-id'));
    }
    expect(first.body).toMatchObject({ inserted: 1 });
    expect(await storedRows(service, asset)).toMatchObject([{ cost: '2.000000' }]);
  });

  it.each([
    ['a file without a row', '# x\n', 'empty_file'],
    ['no bytes', '', 'empty_file'],
    ['a broken file', 'date,channel,cost\n"', 'malformed_csv'],
  ])('answers with the first refusal of %s', async (_name, body, code) => {
    const answers = [await post(body), await post(body)];
    for (const answer of answers) expect(answer.body).toMatchObject({ status: 400, code });
    expect(answers[0]?.body).toEqual({ ...answers[1]?.body, request_id: answers[0]?.body.request_id });
    expect(await post(GOOD)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await jobCount()).toBe(body === '' ? 0 : 1);
  });

  it('answers an async upload with the same 202, whatever has become of the job', async () => {
    const first = await post(GOOD, keyed, ASYNC);
    await ended(service, asset, (first.body as unknown as { import_id: string }).import_id);
    const again = await post(GOOD, keyed, ASYNC);
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      202,
      first.body,
      first.headers.get('location'),
    ]);
    expect(await jobCount()).toBe(1);
  });
});

it('the same key with another body or type is 422, and nothing is imported', async () => {
  await post(GOOD);
  for (const answer of [
    await post(OTHER),
    await post(`${GOOD}\n`),
    await post(''),
    await post(GOOD, { ...keyed, 'Content-Type': 'application/json' }),
  ]) {
    expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  }
  expect(await jobCount()).toBe(1);
});

it('a key is of one asset and one endpoint', async () => {
  await post(GOOD);
  expect((await post(OTHER, keyed, ASYNC)).status).toBe(202);
  asset = await service.newAsset();
  expect((await post(OTHER)).body).toMatchObject({ inserted: 1 });
});

it('a key is forgotten after seven days', async () => {
  await post(GOOD);
  await service.dataSource.query(
    `UPDATE access.idempotency_key SET created_at = now() - interval '6 days 23 hours' WHERE asset_id = $1`,
    [asset.assetId],
  );
  expect((await post(OTHER)).status).toBe(422);
  await service.dataSource.query(
    `UPDATE access.idempotency_key SET created_at = now() - interval '7 days 1 second' WHERE asset_id = $1`,
    [asset.assetId],
  );
  expect(await post(OTHER)).toMatchObject({ status: 200, body: { updated: 1 } });
  expect((await post(GOOD)).status).toBe(422);
});

it('while the first is running it is 409 with the place of its job; another body is 422 also then', async () => {
  const block = await blockWrites(service, asset);
  const first = post(GOOD);
  await until(jobCount, (jobs) => jobs === 1);
  const second = await post(GOOD);
  expect(second).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
  expect((await post(OTHER)).status).toBe(422);
  await block.release();
  expect(second.headers.get('location')).toBe(
    `${IMPORT_PATH}/jobs/${(await first).headers.get('x-service-import-id')}`,
  );
});

it('of many at once exactly one imports', async () => {
  for (const path of [IMPORT_PATH, ASYNC]) {
    asset = await service.newAsset();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(GOOD, keyed, path)));
    expect(answers.filter(({ status }) => ![200, 202, 409].includes(status))).toEqual([]);
    expect(answers.some(({ status }) => status < 300)).toBe(true);
    expect(await jobCount()).toBe(1);
    const objects = await service.dataSource.query('SELECT DISTINCT object_key FROM imports.job WHERE asset_id = $1', [
      asset.assetId,
    ]);
    expect(objects).toHaveLength(1);
  }
});

it('an import that ran out of time frees its key', async () => {
  const block = await blockWrites(service, asset);
  expect(await post(GOOD)).toMatchObject({ status: 504, body: { code: 'import_timeout' } });
  await block.release();
  expect(await post(OTHER)).toMatchObject({ status: 200, body: { inserted: 1 } });
  expect((await post(GOOD)).status).toBe(422);
});

it.each(['', ' ', 'a b', 'x'.repeat(256), 'ü', 'a\tb'])('the key %j is refused by name', async (key) => {
  const encoded = Buffer.from(key).toString('latin1');
  expect((await refused(service, asset, GOOD, { headers: { 'Idempotency-Key': encoded } })).body).toMatchObject({
    status: 400,
    code: 'invalid_parameter',
    errors: [{ name: 'Idempotency-Key' }],
  });
});

describe('at its time limit', () => {
  it('a sync import is 504, says that nothing was written, and nothing is', async () => {
    const block = await blockWrites(service, asset);
    const start = Date.now();
    const { status, body, headers } = await refused(service, asset, GOOD);
    expect([status, body.code, body['nothing_written']]).toEqual([504, 'import_timeout', true]);
    expect(body).not.toHaveProperty('blocked_by');
    expect(Date.now() - start).toBeGreaterThan(1_300);
    expect(Date.now() - start).toBeLessThan(4_000);
    await block.release();
    expect((await ended(service, asset, headers.get('x-service-import-id') ?? '')).error).toMatchObject({
      code: 'import_timeout',
      nothing_written: true,
    });
    expect((await call(service, asset, OTHER)).body).toMatchObject({ inserted: 1 });
    expect(await storedRows(service, asset)).toMatchObject([{ cost: '2.000000' }]);
  });

  it('a sync import names the import that was in its way', async () => {
    const block = await blockWrites(service, asset);
    await service.dataSource.query(
      `INSERT INTO imports.job (asset_id, import_id, sync, format, content_type, object_key, file_bytes, file_sha256, requested_by, time_limit_ms, status, locked_by, lease_until, deadline_at, attempt, started_at)
      VALUES ($1, $2, false, 'csv', 'text/csv', 'none', 1, 'none', 'x', 60000, 'running', 'another worker', now() + interval '1 minute', now() + interval '1 minute', 1, now())`,
      [asset.assetId, '00000000-0000-7000-8000-000000000001'],
    );
    expect((await refused(service, asset, GOOD)).body).toMatchObject({
      status: 504,
      nothing_written: true,
      blocked_by: '00000000-0000-7000-8000-000000000001',
    });
    await block.release();
    expect(await storedRows(service, asset)).toEqual([]);
  });

  it('an async import fails with import_timeout, and the next one runs', async () => {
    const block = await blockWrites(service, asset);
    const ids: string[] = [];
    for (const file of [GOOD, OTHER])
      ids.push((await call<{ import_id: string }>(service, asset, file, { path: ASYNC })).body.import_id);
    expect(await ended(service, asset, ids[0]!)).toMatchObject({
      status: 'failed',
      report: null,
      error: { code: 'import_timeout', status: 504, nothing_written: true },
    });
    await block.release();
    expect(await ended(service, asset, ids[1]!)).toMatchObject({ status: 'succeeded', report: { inserted: 1 } });
  });
});

describe('sync imports over the limit of a minute', () => {
  it('are 429, counted per asset, and the headers say how many are left', async () => {
    const left = (answer: Answer<unknown>): number =>
      Number(/^"imports";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    // All of it has to be in one minute of the clock.
    const second = new Date().getSeconds();
    if (second > 50) await sleep((61 - second) * 1_000);
    const first = await post(GOOD, {});
    expect([left(first), first.headers.get('ratelimit-policy')]).toEqual([29, '"imports";q=30;w=60']);
    const answers = await Promise.all(Array.from({ length: 35 }, () => post(GOOD, {})));
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals).toHaveLength(6);
    for (const refusal of refusals) {
      const wait = Number(refusal.headers.get('retry-after'));
      expect([refusal.body.code, left(refusal), wait >= 1 && wait <= 60]).toEqual(['rate_limited', 0, true]);
    }
    expect((await post(GOOD, {}, ASYNC)).status).toBe(202);
    asset = await service.newAsset();
    expect((await post(GOOD, {})).status).toBe(200);
  });
});
