import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestAsset } from '../support/service.js';
import { costFile, Ledger } from './cost-data.js';
import { ended, expectImported, expectStored, insist, jobOf, queue } from './import-client.js';
import { freezeWhileReading, holdComparing, holdWriting, until, workerOf, type Hold } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { stack } from './support.js';

const SMALL = costFile({ rows: 10_000 });
const LARGE = costFile({ rows: 120_000, seed: 2, faulty: true });
const GRACE_MS = '2000';
/** Nest ends a process by the signal it was told to stop with, after everything is closed. */
const STOPPED_CLEANLY = { code: null, signal: 'SIGTERM' };

describe('an import-worker', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let workers: ServiceProcess[];
  let asset: TestAsset;
  let ledger: Ledger;

  const startWorker = async () => {
    const worker = await services.start('import-worker', { JOB_SHUTDOWN_GRACE_MS: GRACE_MS });
    workers.push(worker);
    return worker;
  };

  beforeAll(async () => {
    services = await Services.on(stack.env);
    gateway = await services.start('gateway');
    workers = [];
    await Promise.all([startWorker(), startWorker()]);
    await Promise.all([gateway, ...workers].map((service) => service.untilReady()));
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  /** An asset that holds a part of what the large file brings. */
  beforeEach(async () => {
    asset = await services.newAsset();
    ledger = new Ledger();
    const { importId } = await insist(gateway, asset, SMALL);
    ledger.add(importId, SMALL);
  });

  /** What is left running goes on without help: also a sync import, at once. */
  async function expectGoingOn(): Promise<void> {
    const begin = Date.now();
    const another = await services.newAsset();
    const { report, tries } = await insist(gateway, another, SMALL);
    expect(report).toMatchObject({ total: 10_000, inserted: 10_000 });
    expect(tries).toBe(1);
    expect(Date.now() - begin).toBeLessThan(10_000);
  }

  async function inPhase(phase: string, start: () => Promise<string>) {
    if (phase === 'reading') {
      const importId = await start();
      const worker = await workerOf(services, workers, importId);
      const rows = await freezeWhileReading(services, worker);
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThan(LARGE.rows);
      return { importId, worker, release: () => Promise.resolve() };
    }
    const hold: Hold = await (phase === 'comparing' ? holdComparing : holdWriting)(services, asset);
    const importId = await start();
    const worker = await workerOf(services, workers, importId);
    await hold.reached;
    return { importId, worker, release: () => hold.release() };
  }

  it.each(['reading', 'comparing', 'writing'])('that is killed while %s loses and doubles nothing', async (phase) => {
    const { importId, worker, release } = await inPhase(phase, () => queue(gateway, asset, LARGE));
    await worker.kill();
    await expectStored(services, asset, ledger);
    await startWorker();
    await release();
    const job = await ended(gateway, asset, importId);
    expect(job.attempt).toBe(2);
    await expectImported(services, asset, job, LARGE, ledger);
    await expectGoingOn();
  });

  it.each(['reading', 'writing'])(
    'that sleeps while %s loses its job to another one, and commits nothing when it wakes up',
    async (phase) => {
      const { importId, worker, release } = await inPhase(phase, () => queue(gateway, asset, LARGE));
      worker.freeze();
      await release();
      const job = await ended(gateway, asset, importId);
      expect(job.attempt).toBe(2);
      worker.thaw();
      await until(
        () => worker.log,
        (log) => log.includes(importId) && /"why":"lease_lost"/.test(log),
      );
      await worker.untilReady();
      await expectImported(services, asset, job, LARGE, ledger);
      const others = workers.filter((other) => other !== worker && other.runs);
      for (const other of others) other.freeze();
      await expectGoingOn();
      for (const other of others) other.thaw();
    },
  );

  it('that is told to stop ends the import it has begun', async () => {
    const { importId, worker, release } = await inPhase('writing', () => queue(gateway, asset, LARGE));
    const exit = worker.terminate();
    await startWorker();
    await release();
    expect(await exit).toEqual(STOPPED_CLEANLY);
    const job = await jobOf(gateway, asset, importId);
    expect(job.attempt).toBe(1);
    await expectImported(services, asset, job, LARGE, ledger);
    await expectGoingOn();
  });

  it('that is told to stop hands back an import that takes longer than its grace, without counting the start', async () => {
    const { importId, worker, release } = await inPhase('comparing', () => queue(gateway, asset, LARGE));
    await startWorker();
    expect(await worker.terminate()).toEqual(STOPPED_CLEANLY);
    await expectStored(services, asset, ledger);
    await release();
    const job = await ended(gateway, asset, importId);
    expect(job.attempt).toBe(1);
    await expectImported(services, asset, job, LARGE, ledger);
    await expectGoingOn();
  });

  it('that replaces another one is ready as soon as Kafka has given up the dead one', async () => {
    const [worker] = workers.filter(({ runs }) => runs);
    await worker?.kill();
    const replacement = await startWorker();
    await replacement.untilReady(20_000);
    await Promise.all(workers.filter(({ runs }) => runs).map((other) => other.untilReady(5_000)));
  });
});
