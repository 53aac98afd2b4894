import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '#runtime/config.js';
import { objectKey } from '#storage/object-store.js';
import { S3Store } from '#storage/s3.store.js';
import { StorageConfig } from '#storage/storage.config.js';
import type { TestAsset } from '../support/service.js';
import { eventStream } from './events-data.js';
import { fillEvents } from './fill-events.js';
import { isConnectionError } from './import-client.js';
import { exporterOf, holdBuilding, holdEnding, until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import {
  allProcessed,
  ask,
  collect,
  expectOneFile,
  exported,
  exportEnd,
  givenFile,
  json,
  OVERVIEW,
  RAW_EVENTS,
  recordsOf,
  type Reply,
} from './reporting-client.js';
import { storeProxy, type StoreProxy } from './store-proxy.js';
import { stack } from './support.js';

/** More than one part of an upload, 5 MiB. */
const ROWS = 110_000;
const SMALL = eventStream({ events: 300, seed: 7 });
const STOPPED_CLEANLY = { code: null, signal: 'SIGTERM' };

type Phase = 'building' | 'uploading' | 'ending';

describe('an export', () => {
  const objects = new S3Store(loadConfig(StorageConfig, { ...stack.env }));
  let services: Services;
  let proxy: StoreProxy;
  let gateway: ServiceProcess;
  let writers: ServiceProcess[];
  let twin: TestAsset;
  let asset: TestAsset;

  const startWriter = async () => {
    const writer = await services.start('reporting', {
      JOB_SHUTDOWN_GRACE_MS: '1000',
      S3_ENDPOINT: proxy.endpoint,
    });
    writers.push(writer);
    return writer;
  };
  const again = async () => (await services.start('gateway', { PORT: new URL(gateway.url).port })).untilReady();
  const newAsset = async () => {
    const made = await services.newAsset();
    await fillEvents(services, made, ROWS);
    return made;
  };

  beforeAll(async () => {
    proxy = await storeProxy(stack.env.S3_ENDPOINT);
    services = await Services.on(stack.env);
    gateway = await services.start('gateway');
    writers = [];
    await Promise.all([startWriter(), startWriter()]);
    twin = await newAsset();
    await Promise.all([gateway, ...writers].map((service) => service.untilReady()));
  }, 180_000);

  afterAll(async () => {
    await services.stop();
    await proxy.stop();
    objects.close();
  });

  beforeEach(async () => {
    asset = await newAsset();
  });

  /** What is left running gives out files at the first try, and takes events. */
  afterEach(async () => {
    await exported(gateway, twin, OVERVIEW);
    await exported(gateway, twin, RAW_EVENTS);
  });

  const exportId = async () => {
    const [record] = await until(
      () => recordsOf(gateway, asset),
      ({ length }) => length > 0,
    );
    return record?.export_id ?? '';
  };

  const expectRight = async (reply: Reply | Error, path: string) => {
    if (reply instanceof Error) throw reply;
    const file = givenFile(reply);
    // The same events as in the other asset.
    expect(file.sha256).toBe((await exported(gateway, twin, path)).sha256);
    await expectOneFile(services, gateway, asset, file);
  };

  /** A client waits for a file whose making has come to the phase, and not further. */
  async function inPhase(phase: Phase, path = RAW_EVENTS) {
    const early = phase === 'building' ? await holdBuilding(services) : undefined;
    const upload = phase === 'uploading' ? proxy.hold(isSecondPart) : undefined;
    const complete = phase === 'ending' ? proxy.hold(isCompletion) : undefined;
    const answer: Promise<Reply | Error> = ask(gateway, asset, path).catch((error: unknown) => error as Error);
    const id = await exportId();
    const writer = await exporterOf(services, writers, id);
    await (early ?? upload ?? complete)?.reached;
    if (complete === undefined)
      return { answer, id, writer, release: async () => (upload?.release(), early?.release()) };
    const late = await holdEnding(services, id);
    complete.release();
    await late.reached;
    return { answer, id, writer, release: () => late.release() };
  }

  it.each(['building', 'uploading', 'ending'] as const)(
    'whose maker is killed while %s comes from another one',
    async (phase) => {
      const { answer, id, writer, release } = await inPhase(phase);
      await writer.kill();
      await release();
      await startWriter();
      await expectRight(await answer, RAW_EVENTS);
      expect(await attemptOf(id)).toBe(2);
      const ofFirst = objectKey('exports', asset.assetId, id, 'raw-events.csv');
      expect((await objects.stat(ofFirst)) !== undefined).toBe(phase === 'ending');
    },
  );

  it('whose maker sleeps while uploading comes from another one, and what it does when it wakes up changes nothing', async () => {
    const { answer, id, writer, release } = await inPhase('uploading');
    writer.freeze();
    await expectRight(await answer, RAW_EVENTS);
    await release();
    writer.thaw();
    await until(
      () => writer.log,
      (log) => log.includes(id) && log.includes('"why":"lease_lost"'),
    );
    await writer.untilReady();
    expect(await attemptOf(id)).toBe(2);
    const [record] = await recordsOf(gateway, asset);
    await expectOneFile(services, gateway, asset, { exportId: id, sha256: record?.file?.sha256 ?? '' });
  });

  it('whose maker is told to stop goes to another one, without counting the start', async () => {
    const { answer, id, writer, release } = await inPhase('building', OVERVIEW);
    expect(await writer.terminate()).toEqual(STOPPED_CLEANLY);
    await startWriter();
    await release();
    await expectRight(await answer, OVERVIEW);
    expect(await attemptOf(id)).toBe(1);
  });

  it('whose gateway is killed goes on, and is found by the next gateway', async () => {
    const { answer, id, release } = await inPhase('building', OVERVIEW);
    await gateway.kill();
    expect(isConnectionError(await answer)).toBe(true);
    gateway = await again();
    await release();
    const record = await exportEnd(gateway, asset, id);
    expect(record).toMatchObject({ export_id: id, status: 'succeeded', error: null });
    await expectOneFile(services, gateway, asset, { exportId: id, sha256: record.file?.sha256 ?? '' });
  });

  it('whose gateway is told to stop goes on; the client is told so at once', async () => {
    const { answer, id, release } = await inPhase('building', OVERVIEW);
    const exit = gateway.terminate();
    const reply = await answer;
    if (reply instanceof Error) throw reply;
    expect([reply.status, json(reply)]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
    expect(reply.headers.get('location')).toBe(`/api/v1/exports/${id}`);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await exit).toEqual(STOPPED_CLEANLY);
    gateway = await again();
    await release();
    const record = await exportEnd(gateway, asset, id);
    await expectOneFile(services, gateway, asset, { exportId: id, sha256: record.file?.sha256 ?? '' });
  });

  it('goes on beside everything else after all that: events are taken too', async () => {
    await collect(gateway, asset, [SMALL.sent]);
    const { pending } = await allProcessed(gateway, asset);
    expect(pending).toBe(0);
    expect(await services.dataSource.query(`SELECT FROM exports.job WHERE status IN ('queued', 'running')`)).toEqual(
      [],
    );
  });

  async function attemptOf(id: string): Promise<number | undefined> {
    const [job] = await services.dataSource.query<{ attempt: number }[]>(
      'SELECT attempt FROM exports.job WHERE export_id = $1',
      [id],
    );
    return job?.attempt;
  }
});

function isSecondPart({ method, url = '' }: { method?: string | undefined; url?: string | undefined }): boolean {
  return method === 'PUT' && /[?&]partNumber=2(&|$)/.test(url);
}

function isCompletion({ method, url = '' }: { method?: string | undefined; url?: string | undefined }): boolean {
  return method === 'POST' && /[?&]uploadId=/.test(url);
}
