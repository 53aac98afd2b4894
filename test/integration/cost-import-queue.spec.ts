import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CostImportJob } from '#contracts/cost-import.js';
import { ImportWorkerModule } from '#apps/import-worker/src/import-worker.module.js';
import { createApp } from '#runtime/bootstrap.js';
import { metricsRegistry } from '#runtime/metrics.js';
import {
  blockWrites,
  call,
  ended,
  importFile,
  IMPORT_PATH,
  jobOf,
  queueFile,
  refused,
  storedRows,
  until,
} from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ IMPORT_QUEUED_PER_ASSET: '5' });
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
const statusOf = async (id: string): Promise<string> => (await jobOf(service, asset, id)).status;
const cancel = (id: string): ReturnType<typeof call<CostImportJob>> =>
  call<CostImportJob>(service, asset, undefined, { path: `${JOBS}/${id}/cancel` });
const newest = async (): Promise<CostImportJob | undefined> =>
  (await call<{ items: CostImportJob[] }>(service, asset, undefined, { method: 'GET', path: JOBS })).body.items[0];

describe('imports of one asset', () => {
  it('run one at a time in order of arrival, while another asset’s runs', async () => {
    const block = await blockWrites(service, asset);
    const ids: string[] = [];
    for (const cost of [1, 2, 3, 4])
      ids.push(
        await queueFile(service, asset, `date,channel,cost\n2024-01-07,Google,${cost}\n2024-01-07,C${cost},1\n`),
      );
    await until(
      () => statusOf(ids[0]!),
      (status) => status === 'running',
    );
    expect(await importFile(service, await service.newAsset(), GOOD)).toMatchObject({ inserted: 1 });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['running', 'queued', 'queued', 'queued']);
    await block.release();
    const jobs = await Promise.all(ids.map((id) => ended(service, asset, id)));
    for (const [index, job] of jobs.slice(1).entries()) expect(job.started_at! >= jobs[index]!.finished_at!).toBe(true);
    expect(await storedRows(service, asset)).toContainEqual(
      expect.objectContaining({ channel: 'Google', cost: '4.000000', import_id: ids[3] }),
    );
  });

  it('may wait five at a time; then it is queue_full, for async ones only', async () => {
    const block = await blockWrites(service, asset);
    const first = await queueFile(service, asset, GOOD);
    await until(
      () => statusOf(first),
      (status) => status === 'running',
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => call<{ code?: string }>(service, asset, GOOD, { path: ASYNC })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(5).fill(202),
      ...Array<number>(7).fill(429),
    ]);
    const full = answers.find(({ status }) => status === 429);
    expect([full?.body.code, Number(full?.headers.get('retry-after')) > 0]).toEqual(['queue_full', true]);
    const sync = call(service, asset, GOOD);
    await block.release();
    expect((await sync).status).toBe(200);
  });
});

describe('cancel', () => {
  it('ends a queued job and a running one, writes nothing, and is 409 after that', async () => {
    const block = await blockWrites(service, asset);
    const [running, queued, last] = [
      await queueFile(service, asset, GOOD),
      await queueFile(service, asset, GOOD),
      await queueFile(service, asset, 'date,channel,cost\n2024-01-14,Google,1\n'),
    ];
    await until(
      () => statusOf(running),
      (status) => status === 'running',
    );
    for (const id of [queued, running]) {
      const { status, body } = await cancel(id);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        import_id: id,
        status: 'canceled',
        outcome: null,
        report: null,
        finished_at: expect.any(String),
      });
      expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    }
    await block.release();
    expect(await ended(service, asset, last)).toMatchObject({ status: 'succeeded' });
    expect(await storedRows(service, asset)).toMatchObject([{ date: '2024-01-14' }]);
    expect(await Promise.all([running, queued].map(statusOf))).toEqual(['canceled', 'canceled']);
    expect((await cancel(last)).status).toBe(409);
  });

  it('of a sync import answers its client at once', async () => {
    const block = await blockWrites(service, asset);
    const waiting = refused(service, asset, GOOD);
    const job = await until(newest, (found) => found?.status === 'running');
    await cancel(job!.import_id);
    expect(await waiting).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    await block.release();
  });
});

it('two workers on one queue do each job once', async () => {
  // Gauges are one to a process.
  metricsRegistry.clear();
  const second = await createApp(ImportWorkerModule);
  await second.init();
  try {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => service.newAsset()));
    const files = [1, 2, 3, 4].map((cost) => `date,channel,cost\n2024-01-07,Google,${cost}\n2024-01-0${cost},Meta,1\n`);
    const ids = await Promise.all(
      tenants.map(async (tenant) => {
        const queued: string[] = [];
        for (const file of files) queued.push(await queueFile(service, tenant, file));
        return queued;
      }),
    );
    for (const [index, tenant] of tenants.entries()) {
      const jobs = await Promise.all(ids[index]!.map((id) => ended(service, tenant, id)));
      expect(jobs.map(({ status, attempt, report }) => [status, attempt, report?.inserted])).toEqual([
        ['succeeded', 1, 2],
        ['succeeded', 1, 1],
        ['succeeded', 1, 1],
        ['succeeded', 1, 1],
      ]);
      expect(await storedRows(service, tenant)).toContainEqual(
        expect.objectContaining({ channel: 'Google', cost: '4.000000' }),
      );
    }
    const workers = await service.dataSource.query(
      `SELECT status, count(*)::int FROM imports.job WHERE asset_id = ANY($1) GROUP BY 1`,
      [tenants.map(({ assetId }) => assetId)],
    );
    expect(workers).toEqual([{ status: 'succeeded', count: 24 }]);
  } finally {
    await second.close();
  }
});
