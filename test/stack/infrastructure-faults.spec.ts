import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { projectRoot } from '#deploy/stack/fetch.js';
import { type Infrastructure, startInfrastructure } from '#deploy/stack/infrastructure.js';
import type { TestAsset } from '../support/service.js';
import { costFile, Ledger } from './cost-data.js';
import { ended, expectImported, expectStored, insist, post, queue } from './import-client.js';
import { freezeWhileReading, holdWriting, until, workerOf } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';

const SMALL = costFile({ rows: 2_000 });
const LARGE = costFile({ rows: 120_000, seed: 2, faulty: true });
/** More than the sockets between the object store and a sleeping worker can hold. */
const HUGE = costFile({ rows: 600_000, seed: 3 });
const KAFKA_AWAY_MS = 20_000;

describe('the service', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallyport-faults-'));
  let infrastructure: Infrastructure;
  let services: Services;
  let gateway: ServiceProcess;
  let worker: ServiceProcess;
  let asset: TestAsset;
  let ledger: Ledger;

  beforeAll(async () => {
    infrastructure = await startInfrastructure({
      home: process.env['TALLYPORT_STACK_HOME'] ?? join(projectRoot(), '.stack'),
      dataDir,
    });
    services = await Services.on(infrastructure.env);
    gateway = await services.start('gateway');
    worker = await services.start('import-worker');
    await Promise.all([gateway.untilReady(), worker.untilReady()]);
  }, 120_000);

  afterAll(async () => {
    await services.stop();
    await infrastructure.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  beforeEach(async () => {
    asset = await services.newAsset();
    ledger = new Ledger();
    const { importId } = await insist(gateway, asset, SMALL);
    ledger.add(importId, SMALL);
  });

  const statusOf = async ({ url }: ServiceProcess, check: 'live' | 'ready') =>
    (await fetch(`${url}/health/${check}`)).status;

  const unpublished = async () => {
    const [row] = await services.dataSource.query<{ rows: number }[]>(
      `SELECT ((SELECT count(*) FROM imports.outbox WHERE published_at IS NULL)
             + (SELECT count(*) FROM access.outbox WHERE published_at IS NULL))::int AS rows`,
    );
    return row?.rows;
  };

  /** Both processes are the same ones as before, ready again, and a sync import succeeds at the first try. */
  async function expectGoingOn(): Promise<void> {
    await Promise.all([gateway.untilReady(), worker.untilReady()]);
    const { report, tries } = await insist(gateway, await services.newAsset(), SMALL);
    expect([report.total, tries]).toEqual([SMALL.rows, 1]);
  }

  it('answers every sync import while Kafka is away for 20 s, and tells all events afterwards', async () => {
    const imported: { asset: TestAsset; importId: string; ledger: Ledger }[] = [];
    let longest = 0;
    let over = false;
    const client = async () => {
      for (let round = 0; !over; round++) {
        const own = await services.newAsset();
        const file = costFile({ rows: 500, seed: round, faulty: true });
        const begin = Date.now();
        const { status, headers, body } = await post(gateway, own, file);
        longest = Math.max(longest, Date.now() - begin);
        const importId = headers.get('x-service-import-id') ?? '';
        const expected = new Ledger();
        const { changed: _, ...counts } = expected.add(importId, file);
        expect({ status, body }).toMatchObject({ status: 200, body: counts });
        imported.push({ asset: own, importId, ledger: expected });
        await sleep(100);
      }
    };
    const clients = Promise.all([client(), client()]);
    const importId = await queue(gateway, asset, LARGE);
    await infrastructure.kafka.stop();
    const during = imported.length;
    await sleep(KAFKA_AWAY_MS);
    expect(imported.length).toBeGreaterThan(during + 10);
    expect(await Promise.all([gateway, worker].map((service) => statusOf(service, 'live')))).toEqual([200, 200]);
    await infrastructure.kafka.start();
    await sleep(2_000);
    over = true;
    await clients;
    expect(longest).toBeLessThan(10_000);
    for (const { asset: own, ledger: expected } of imported) await expectStored(services, own, expected);
    expect(await until(unpublished, (rows) => rows === 0, 75_000, 250)).toBe(0);
    const told = (await services.allEvents(CostImportCompleted.topic)).map(({ data }) => data.import_id);
    expect(imported.filter(({ importId: id }) => !told.includes(id))).toEqual([]);
    await expectImported(services, asset, await ended(gateway, asset, importId), LARGE, ledger);
    await expectGoingOn();
  }, 180_000);

  it('tells of an import whose worker was killed after its commit and before it could publish', async () => {
    await infrastructure.kafka.kill();
    const importId = await queue(gateway, asset, LARGE);
    const job = await ended(gateway, asset, importId);
    await worker.kill();
    expect(await unpublished()).toBeGreaterThan(0);
    await infrastructure.kafka.start();
    worker = await services.start('import-worker');
    await expectImported(services, asset, job, LARGE, ledger);
    expect(await until(unpublished, (rows) => rows === 0, 75_000, 250)).toBe(0);
    await expectGoingOn();
  }, 180_000);

  it.each(['stop', 'kill'] as const)(
    'goes on after a restart of PostgreSQL (%s) in the middle of imports',
    async (how) => {
      const other = await services.newAsset();
      const reading = await queue(gateway, asset, LARGE);
      await workerOf(services, [worker], reading);
      expect(await freezeWhileReading(services, worker)).toBeLessThan(LARGE.rows);
      const waiting = insist(gateway, other, SMALL);
      await infrastructure.postgres[how]();
      worker.thaw();
      await infrastructure.postgres.start();
      const { importId } = await waiting;
      await expectImported(services, other, await ended(gateway, other, importId), SMALL, new Ledger());
      await expectImported(services, asset, await ended(gateway, asset, reading), LARGE, ledger);
      expect(worker.log.split('\n').some((line) => line.includes(reading) && line.includes('"level":40'))).toBe(true);
      await expectGoingOn();
    },
    180_000,
  );

  it('goes on after PostgreSQL was killed while rows were being written', async () => {
    const hold = await holdWriting(services, asset);
    const importId = await queue(gateway, asset, LARGE);
    await hold.reached;
    await infrastructure.postgres.kill();
    await infrastructure.postgres.start();
    await expectImported(services, asset, await ended(gateway, asset, importId), LARGE, ledger);
    await expectGoingOn();
  }, 180_000);

  it('goes on after the object store was away while a file was read and others came in', async () => {
    const importId = await queue(gateway, asset, HUGE);
    await workerOf(services, [worker], importId);
    expect(await freezeWhileReading(services, worker)).toBeLessThan(HUGE.rows);
    await infrastructure.minio.kill();
    worker.thaw();
    const other = await services.newAsset();
    const refused = await post(gateway, other, SMALL);
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    const waiting = insist(gateway, other, SMALL);
    await sleep(3_000);
    await infrastructure.minio.start();
    const { importId: second } = await waiting;
    await expectImported(services, other, await ended(gateway, other, second), SMALL, new Ledger());
    const job = await ended(gateway, asset, importId);
    expect(job.attempt).toBe(1);
    await expectImported(services, asset, job, HUGE, ledger);
    await expectGoingOn();
  }, 180_000);
});
