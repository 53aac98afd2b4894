import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { CostImportRequested } from '#contracts/events/cost-import-requested.js';
import { consumerLag } from '#messaging/kafka/consumer-lag.js';
import { costFile, Ledger } from './cost-data.js';
import { ended, expectImported, insist, queue } from './import-client.js';
import { holdComparing, until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { stack } from './support.js';

const FILE = costFile({ rows: 2_000, faulty: true });
const PARTITIONS = 6;

describe('the messages of an import', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let worker: ServiceProcess;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    gateway = await services.start('gateway');
    worker = await services.start('import-worker');
    await Promise.all([gateway.untilReady(), worker.untilReady()]);
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  /** Sends the messages of the asset on a topic once more, byte for byte. */
  async function deliverAgain(topic: string, assetId: string): Promise<void> {
    const messages = (await services.broker.contents(topic)).filter(({ key }) => String(key) === assetId);
    expect(messages.length).toBeGreaterThan(0);
    await services.broker.produce(
      topic,
      messages.map(({ key, value, headers }) => ({ key, value, headers: headers ?? {} })),
    );
  }

  async function allRead(): Promise<void> {
    const topic = CostImportRequested.topic;
    const lag = () =>
      services.broker.admin(async (client) => (await consumerLag(client, 'import-worker', [topic]))[topic]);
    await until(lag, (waiting) => waiting === 0, 30_000, 200);
  }

  it('that come twice change nothing, while the import runs and after its end', async () => {
    const asset = await services.newAsset();
    const hold = await holdComparing(services, asset);
    const importId = await queue(gateway, asset, FILE);
    await hold.reached;
    await until(
      () => services.events(CostImportRequested.topic, asset),
      ({ length }) => length === 1,
    );
    await deliverAgain(CostImportRequested.topic, asset.assetId);
    await allRead();
    await hold.release();
    const job = await ended(gateway, asset, importId);
    const ledger = new Ledger();
    await expectImported(services, asset, job, FILE, ledger);
    await deliverAgain(CostImportRequested.topic, asset.assetId);
    await deliverAgain(CostImportCompleted.topic, asset.assetId);
    await allRead();
    expect(await ended(gateway, asset, importId)).toEqual(job);
    const { report, importId: second } = await insist(gateway, asset, FILE);
    expect(report).toMatchObject({
      inserted: 0,
      updated: job.report?.total === undefined ? NaN : FILE.rows - FILE.rejected,
    });
    expect(ledger.add(second, FILE).changed).toBe(0);
    expect(await services.events(CostImportCompleted.topic, asset)).toHaveLength(3);
  });

  it('that nobody can read become dead letters, and hold up nothing in any partition', async () => {
    const poison = Array.from({ length: PARTITIONS }, (_, partition) => ({
      partition,
      value: `{"data": ${partition}`,
    }));
    for (const topic of [CostImportRequested.topic, CostImportCompleted.topic]) {
      const letters = async () => (await services.broker.contents(`${topic}.dlq`)).map(({ value }) => String(value));
      const before = (await letters()).length;
      await services.broker.produce(topic, poison);
      const after = await until(letters, ({ length }) => length >= before + PARTITIONS, 30_000, 200);
      expect(after.slice(before).sort()).toEqual(poison.map(({ value }) => value));
    }
    await allRead();
    const asset = await services.newAsset();
    const { importId, tries } = await insist(gateway, asset, FILE);
    expect(tries).toBe(1);
    await expectImported(services, asset, await ended(gateway, asset, importId), FILE, new Ledger());
    await Promise.all([gateway.untilReady(1_000), worker.untilReady(1_000)]);
  });
});
