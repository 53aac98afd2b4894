import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestAsset } from '../support/service.js';
import { eventStream, shuffledBodies } from './events-data.js';
import { holdIngest, until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { allProcessed, collect, expectReported, statusOf } from './reporting-client.js';
import { stack } from './support.js';

const STREAM = eventStream({ events: 30_000, seed: 5 });
const SMALL = eventStream({ events: 500, seed: 6 });

describe('reporting that is killed while it takes events', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let writers: ServiceProcess[];
  let asset: TestAsset;

  const start = async () => {
    const writer = await services.start('reporting');
    writers.push(writer);
    return writer;
  };

  beforeAll(async () => {
    services = await Services.on(stack.env);
    gateway = await services.start('gateway');
    writers = [];
    await Promise.all([gateway.untilReady(), start().then((writer) => writer.untilReady())]);
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  beforeEach(async () => {
    asset = await services.newAsset();
  });

  /** What is left running takes more, also of somebody else. */
  afterEach(async () => {
    const another = await services.newAsset();
    await collect(gateway, another, [SMALL.sent]);
    await allProcessed(gateway, another);
    await expectReported(services, gateway, another, SMALL);
  });

  const counted = (writer: ServiceProcess) => writer.metric('tallyport_ingested_events_total{result="stored"}');

  it('leaves the rest to its successor; no event is lost or counted twice', async () => {
    const bodies = shuffledBodies(STREAM, 6_000);
    const half = Math.ceil(bodies.length / 2);
    await collect(gateway, asset, bodies.slice(0, half));
    await until(
      () => statusOf(gateway, asset),
      ({ processed }) => processed > 0,
    );
    const hold = await holdIngest(services, asset);
    await collect(gateway, asset, bodies.slice(half));
    await hold.reached;
    const { processed } = await statusOf(gateway, asset);
    expect(processed).toBeGreaterThan(0);
    expect(processed).toBeLessThan(STREAM.sent.length);
    await writers[0]?.kill();
    await hold.release();
    await start();
    await allProcessed(gateway, asset);
    await expectReported(services, gateway, asset, STREAM);
  });

  it('leaves its share to the other of two; no event is lost or counted twice', async () => {
    const [first] = writers.filter(({ runs }) => runs);
    const second = await start();
    if (first === undefined) throw new Error('no writer is left');
    await Promise.all([first, second].map((writer) => writer.untilReady()));
    const before = await Promise.all([first, second].map(counted));
    const bodies = shuffledBodies(STREAM, 3_000);
    const half = Math.ceil(bodies.length / 2);
    await collect(gateway, asset, bodies.slice(0, half));
    // Both have a share of the partitions.
    for (const [place, writer] of [first, second].entries())
      await until(
        () => counted(writer),
        (events) => events > (Number.isNaN(before[place]) ? 0 : (before[place] ?? 0)),
      );
    const hold = await holdIngest(services, asset);
    await collect(gateway, asset, bodies.slice(half));
    await hold.reached;
    await second.kill();
    const { processed } = await statusOf(gateway, asset);
    expect(processed).toBeGreaterThan(0);
    expect(processed).toBeLessThan(STREAM.sent.length);
    await hold.release();
    await allProcessed(gateway, asset);
    await expectReported(services, gateway, asset, STREAM);
  });
});
