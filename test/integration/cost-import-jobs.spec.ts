import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CostImportJob } from '#contracts/cost-import.js';
import {
  call,
  ended,
  importFile,
  IMPORT_PATH,
  jobOf,
  queueFile,
  refused,
  storedRows,
} from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const JOBS = `${IMPORT_PATH}/jobs`;
const ASYNC = `${IMPORT_PATH}/async`;
const GOOD = 'date,channel,cost\n2024-01-07,Google,1\n';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const cancel = (id: string): ReturnType<typeof call<CostImportJob>> =>
  call<CostImportJob>(service, asset, undefined, { path: `${JOBS}/${id}/cancel` });

interface JobPage {
  items: CostImportJob[];
  next_cursor: string | null;
}
const list = async (query = ''): Promise<JobPage> =>
  (await call<JobPage>(service, asset, undefined, { method: 'GET', path: `${JOBS}${query}` })).body;

it('an async upload is answered with exactly its id and status, and where to look', async () => {
  const { status, headers, body } = await call<{ import_id: string; status: string }>(service, asset, GOOD, {
    path: ASYNC,
  });
  expect([status, body]).toEqual([202, { import_id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'queued' }]);
  expect(headers.get('location')).toBe(`${JOBS}/${body.import_id}`);
  const job = await ended(service, asset, body.import_id);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(job).toEqual({
    import_id: body.import_id,
    status: 'succeeded',
    outcome: 'clean',
    progress: { bytes_read: GOOD.length, bytes_total: GOOD.length, rows_read: 1, percent: 100 },
    attempt: 1,
    created_at: time,
    started_at: time,
    finished_at: time,
    requested_by: expect.stringMatching(/^principal/),
    file: { bytes: GOOD.length, sha256: sha256(GOOD), content_type: 'text/csv' },
    report: {
      ok: true,
      total: 1,
      inserted: 1,
      updated: 0,
      skipped: 0,
      imported_from: '2024-01-07',
      imported_to: '2024-01-07',
      errors: [],
      warnings: [],
      errors_total: 0,
      warnings_total: 0,
    },
    error: null,
  });
  expect(job.created_at <= job.started_at! && job.started_at! <= job.finished_at!).toBe(true);
});

it.each([
  ['clean', '2024-01-07,Google,1\n'],
  ['with_warnings', '2024-01-07,Unheard of,1\n'],
  ['partial', '2024-01-07,Unheard of,1\nx,Google,1\n'],
  ['none', 'x,Google,1\n'],
])('the outcome is %s', async (outcome, rows) => {
  const job = await ended(service, asset, await queueFile(service, asset, `date,channel,cost\n${rows}`));
  expect(job).toMatchObject({ status: 'succeeded', outcome, report: { ok: true }, error: null });
});

it.each([
  ['malformed_csv', 400, 'date,channel,cost\n2024-01-07,"Goo,1\n', { line: 2, file_line: 2 }],
  ['empty_file', 400, '# nothing\n', {}],
  ['invalid_encoding', 400, 'date,channel,cost\n2024-01-07,Goo\0gle,1\n', {}],
])('a job fails with %s as a problem object, and nothing is written', async (code, status, file, more) => {
  const id = await queueFile(service, asset, file);
  const job = await ended(service, asset, id);
  expect(job).toMatchObject({
    status: 'failed',
    outcome: null,
    report: null,
    error: {
      type: `urn:problem:${code.replace('_', '-')}`,
      title: expect.any(String),
      status,
      code,
      detail: expect.any(String),
      ...more,
    },
  });
  expect(await storedRows(service, asset)).toEqual([]);
  expect((await cancel(id)).status).toBe(409);
});

it('a sync import keeps a job record too, also a failed one', async () => {
  for (const [file, status] of [
    [GOOD, 'succeeded'],
    ['# x', 'failed'],
  ] as const) {
    const { headers } = await call(service, asset, file);
    expect(await jobOf(service, asset, headers.get('x-service-import-id') ?? '')).toMatchObject({
      status,
      file: { sha256: sha256(file) },
    });
  }
  expect((await list()).items.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
});

it('percent goes by bytes and never back, and a poll says when to come again until the job has ended', async () => {
  const rows = Array.from({ length: 250_000 }, (_, index) => `2024-01-07,Google,${index}\n`).join('');
  const id = await queueFile(service, asset, `date,channel,cost,campaign\n${rows.replaceAll(/,(\d+)\n/g, ',1,$1\n')}`);
  const seen: CostImportJob[] = [];
  for (let job: CostImportJob | undefined; job?.finished_at == null;) {
    const answer = await call<CostImportJob>(service, asset, undefined, { method: 'GET', path: `${JOBS}/${id}` });
    job = answer.body;
    expect(answer.headers.get('retry-after')).toBe(job.finished_at === null ? '1' : null);
    seen.push(job);
  }
  const percents = seen.map(({ progress }) => progress.percent);
  expect(percents).toEqual([...percents].sort((a, b) => a - b));
  expect(percents.at(-1)).toBe(100);
  expect(
    seen.every(
      ({ progress: { bytes_read: read, bytes_total: total, percent } }) => percent === Math.floor((100 * read) / total),
    ),
  ).toBe(true);
  expect(seen.at(-1)).toMatchObject({ status: 'succeeded', progress: { rows_read: 250_000 } });
});

describe('the list', () => {
  it('is newest first, and pages lose nothing, also where times are equal', async () => {
    for (let count = 0; count < 7; count++) await importFile(service, asset, GOOD);
    await service.dataSource.query(
      `UPDATE imports.job SET created_at = '2026-01-01T00:00:00.123456Z' WHERE import_id IN (SELECT import_id FROM imports.job WHERE asset_id = $1 ORDER BY import_id LIMIT 4)`,
      [asset.assetId],
    );
    const all = (await list()).items.map((job) => job.import_id);
    expect(all).toEqual([...all].sort().reverse());
    for (const limit of [1, 2, 3, 7]) {
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: JobPage = await list(`?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        expect(page.items.length).toBe(Math.min(limit, 7 - paged.length));
        paged.push(...page.items.map((job) => job.import_id));
        cursor = page.next_cursor;
      }
      expect(paged).toEqual(all);
    }
    expect((await list()).items.every((job) => !('report' in job))).toBe(true);
  });

  const uuid = randomUUID();
  it.each([
    '',
    'x',
    '2026-01-01T00:00:00.000000Z',
    `2026-02-30T00:00:00.000000Z ${uuid}`,
    `2026-13-01T00:00:00.000000Z ${uuid}`,
    `2026-01-01T25:00:00.000000Z ${uuid}`,
    `0000-01-01T00:00:00.000000Z ${uuid}`,
    `2026-01-01T00:00:00.000000Z ${'-'.repeat(36)}`,
    `2026-01-01T00:00:00.000000Z '${uuid}`,
    `2026-01-01 00:00:00+99 ${uuid}`,
  ])('refuses the cursor %j', async (text) => {
    const { body } = await refused(service, asset, undefined, {
      method: 'GET',
      path: `${JOBS}?cursor=${Buffer.from(text).toString('base64url')}`,
    });
    expect(body).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ name: 'cursor' }] });
  });

  it.each(['', '0', '201', '1.5', '-1', '1e2', ' 5', 'x', '9999999999'])('refuses the limit %j', async (limit) => {
    expect(
      (await refused(service, asset, undefined, { method: 'GET', path: `${JOBS}?limit=${limit}` })).body,
    ).toMatchObject({ status: 400, errors: [{ name: 'limit' }] });
  });
});
