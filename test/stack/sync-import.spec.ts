import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '#apps/cli/src/run.js';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import type { TestAsset } from '../support/service.js';
import { costFile, Ledger, type CostFile } from './cost-data.js';
import { ended, expectImported, expectStored, insist, jobOf, post, queue } from './import-client.js';
import { until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { stack } from './support.js';

const ASSETS = 20;
const IMPORTS_EACH = 10;
const ROWS = 50;

interface Job {
  import_id: string;
  asset_id: string;
  created: string;
  started: string;
  finished: string;
}

describe('two gateways and two workers', () => {
  let services: Services;
  let gateways: [ServiceProcess, ServiceProcess];
  let workers: ServiceProcess[];

  beforeAll(async () => {
    services = await Services.on(stack.env);
    gateways = [await services.start('gateway'), await services.start('gateway')];
    workers = [await services.start('import-worker'), await services.start('import-worker')];
    await Promise.all([...gateways, ...workers].map((service) => service.untilReady()));
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  /** All jobs that ended well, in the order of their creation. */
  const jobs = () =>
    services.dataSource.query<Job[]>(
      `SELECT import_id, asset_id, to_char(created_at, 'HH24:MI:SS.US') AS created, to_char(started_at, 'HH24:MI:SS.US') AS started,
              to_char(finished_at, 'HH24:MI:SS.US') AS finished
         FROM imports.job WHERE status = 'succeeded' ORDER BY created_at, import_id`,
    );

  it('answer 200 sync imports of 20 assets at once, each right, those of one asset one by one in order of arrival', async () => {
    const assets = await Promise.all(Array.from({ length: ASSETS }, () => services.newAsset()));
    const files = new Map<string, CostFile>();
    const send = async (asset: TestAsset, number: number) => {
      const file = costFile({ rows: ROWS, seed: number + 1 });
      const { status, headers, body } = await post(gateways[number % 2] ?? gateways[0], asset, file);
      expect({ status, body }).toMatchObject({ status: 200, body: { total: ROWS, skipped: 0 } });
      const importId = headers.get('x-service-import-id') ?? '';
      files.set(importId, file);
      return { importId, body };
    };
    const begin = Date.now();
    const answers = await Promise.all(
      Array.from({ length: ASSETS * IMPORTS_EACH }, (_, number) =>
        send(assets[number % ASSETS] as TestAsset, Math.floor(number / ASSETS)),
      ),
    );
    process.stderr.write(`${answers.length} sync imports in ${Date.now() - begin} ms\n`);
    const reports = new Map(answers.map(({ importId, body }) => [importId, body]));
    const all = await jobs();
    for (const asset of assets) {
      const own = all.filter(({ asset_id: id }) => id === asset.assetId);
      expect(own).toHaveLength(IMPORTS_EACH);
      const ledger = new Ledger();
      own.forEach(({ import_id: importId, started, finished }, index) => {
        // One by one: each starts after the end of the one that came before it.
        expect(started >= (own[index - 1]?.finished ?? '')).toBe(true);
        expect(finished > started).toBe(true);
        const { changed: _, ...counts } = ledger.add(importId, files.get(importId) as CostFile);
        expect(reports.get(importId)).toMatchObject(counts);
      });
      await expectStored(services, asset, ledger);
    }
    const completed = async () =>
      (await services.allEvents(CostImportCompleted.topic)).map(({ data }) => data.import_id);
    const told = await until(completed, (ids) => answers.every(({ importId }) => ids.includes(importId)), 30_000, 500);
    expect(answers.filter(({ importId }) => told.filter((id) => id === importId).length !== 1)).toEqual([]);
  });

  it('import files that were queued in order in that order: the last value stays', async () => {
    const asset = await services.newAsset();
    const ledger = new Ledger();
    const queued: { importId: string; file: CostFile }[] = [];
    for (let number = 0; number < IMPORTS_EACH; number++) {
      const file = costFile({ rows: ROWS, seed: 100 + number });
      queued.push({ importId: await queue(gateways[number % 2] ?? gateways[0], asset, file), file });
    }
    for (const { importId } of queued) await ended(gateways[0], asset, importId);
    for (const { importId, file } of queued) ledger.add(importId, file);
    await expectStored(services, asset, ledger);
  });

  it('import a large file into an asset that is new to the planner, and its progress never goes back', async () => {
    const asset = await services.newAsset();
    const ledger = new Ledger();
    const first = costFile({ rows: 2_000 });
    const { importId: firstId } = await insist(gateways[0], asset, first);
    ledger.add(firstId, first);
    const file = costFile({ rows: 600_000, seed: 2, faulty: true });
    const importId = await queue(gateways[0], asset, file);
    const percents: number[] = [];
    await until(
      async () => {
        const job = await jobOf(gateways[percents.length % 2] ?? gateways[0], asset, importId);
        percents.push(job.progress.percent);
        return job;
      },
      ({ finished_at: finished }) => finished !== null,
      60_000,
      100,
    );
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);
    expect(percents.some((percent) => percent > 0 && percent < 100)).toBe(true);
    await expectImported(services, asset, await ended(gateways[1], asset, importId), file, ledger);
  });

  it('tell their health and their metrics', async () => {
    for (const { url } of [...gateways, ...workers]) {
      const live = await fetch(`${url}/health/live`);
      expect([live.status, await live.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
      const ready = await fetch(`${url}/health/ready`);
      const up = { status: 'up' };
      expect([ready.status, await ready.json()]).toEqual([
        200,
        { status: 'ok', checks: expect.objectContaining({ kafka: up }) },
      ]);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toMatch(/^tallyport_consumer_heartbeat_age_seconds\{group="[^"]+"\} [\d.]+$/m);
      expect(metrics).toMatch(/^tallyport_outbox_pending\S* 0$/m);
    }
  });

  it('need no topic that a second `topics ensure` would have to make', async () => {
    const { code, stdout } = await run(['topics', 'ensure', '--json'], services.env);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ created: [], extended: [], drift: [] })]);
  });
});
