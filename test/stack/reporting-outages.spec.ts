import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '#deploy/stack/fetch.js';
import { startInfrastructure, type Infrastructure } from '#deploy/stack/infrastructure.js';
import type { TestAsset } from '../support/service.js';
import { eventStream, shuffledBodies } from './events-data.js';
import { exporterOf, holdBuilding, until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import {
  allProcessed,
  ask,
  collect,
  expectNumbers,
  exported,
  exportEnd,
  json,
  OVERVIEW,
  postEvents,
  RAW_EVENTS,
  statusOf,
  type Reply,
} from './reporting-client.js';

const STREAM = eventStream({ events: 2_000, seed: 8 });
/** How soon a client is told that something is away, also on a busy machine. */
const SOON_MS = 30_000;

describe('reporting', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallyport-outages-'));
  let infrastructure: Infrastructure;
  let services: Services;
  let gateway: ServiceProcess;
  let reporting: ServiceProcess;
  let asset: TestAsset;

  beforeAll(async () => {
    infrastructure = await startInfrastructure({
      home: process.env['TALLYPORT_STACK_HOME'] ?? join(projectRoot(), '.stack'),
      dataDir,
    });
    services = await Services.on(infrastructure.env);
    gateway = await services.start('gateway');
    reporting = await services.start('reporting');
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  }, 180_000);

  afterAll(async () => {
    await services.stop();
    await infrastructure.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  beforeEach(async () => {
    asset = await services.newAsset();
  });

  const expectAway = ({ status, headers, bytes }: Reply) => {
    expect([status, JSON.parse(bytes.toString())]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  };

  const unended = async () =>
    await services.dataSource.query<object[]>(
      `SELECT export_id, status FROM exports.job WHERE status IN ('queued', 'running')`,
    );

  const openTransactions = () =>
    services.dataSource.query<object[]>(
      `SELECT state, left(query, 80) AS query FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL`,
    );

  it('says that the object storage is away, and gives out the same files when it is back', async () => {
    await collect(gateway, asset, [STREAM.sent]);
    await allProcessed(gateway, asset);
    const overview = await exported(gateway, asset, OVERVIEW);
    const hold = await holdBuilding(services);
    const begin = Date.now();
    const accepted = await ask(gateway, asset, RAW_EVENTS, { headers: { Prefer: 'respond-async' } });
    expect(accepted.status).toBe(202);
    const orderedId = (json(accepted) as { export_id: string }).export_id;
    await exporterOf(services, [reporting], orderedId);
    await hold.reached;
    // One more that somebody waits for when the storage goes away.
    const waiting = ask(gateway, asset, OVERVIEW);
    await until(
      () => gateway.metric('tallyport_exports_waiting'),
      (count) => count === 1,
    );
    await infrastructure.minio.kill();
    await hold.release();
    const told = await waiting;
    expectAway(told);
    const location = told.headers.get('location') ?? '';
    expect(location).toMatch(/^\/api\/v1\/exports\/[0-9a-f-]{36}$/);
    expect(Date.now() - begin).toBeLessThan(SOON_MS);

    // While it is away nothing more is accepted, and nobody waits.
    for (const path of [OVERVIEW, RAW_EVENTS]) {
      const asked = Date.now();
      const refused = await ask(gateway, asset, path);
      expectAway(refused);
      expect(refused.headers.get('location')).toBeNull();
      expect(Date.now() - asked).toBeLessThan(10_000);
    }
    expect(await unended()).toHaveLength(2);
    // What is built waits for the storage without a connection to the database.
    expect(await until(openTransactions, ({ length }) => length === 0)).toEqual([]);
    const lists = await ask(gateway, asset, '/api/v1/exports');
    expect(lists.status).toBe(200);

    await infrastructure.minio.start();
    const raw = await until(
      () => ask(gateway, asset, RAW_EVENTS),
      ({ status }) => status === 200,
      SOON_MS,
      250,
    );
    const again = await exported(gateway, asset, OVERVIEW);
    expect(again.sha256).toBe(overview.sha256);
    const [ordered, awaited] = await Promise.all(
      [orderedId, location.slice(-36)].map((id) => exportEnd(gateway, asset, id)),
    );
    expect(ordered).toMatchObject({ status: 'succeeded', error: null, file: { bytes: raw.bytes.length } });
    expect(awaited).toMatchObject({ status: 'succeeded', error: null, file: { sha256: overview.sha256 } });
    const file = await fetch(ordered?.download_url ?? '');
    expect(Buffer.from(await file.arrayBuffer()).equals(raw.bytes)).toBe(true);
    expect(await unended()).toEqual([]);
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  }, 180_000);

  it('says that Kafka is away, and loses and doubles nothing of what is posted before, meanwhile and after', async () => {
    const [meanwhile = [], ...bodies] = shuffledBodies(STREAM, 100);
    let posted = 0;
    const posting = (async () => {
      for (const body of bodies) {
        await insistOn(body);
        posted++;
      }
    })();
    await until(
      () => posted,
      (count) => count >= 3,
    );
    await infrastructure.kafka.kill();
    expect(posted).toBeLessThan(bodies.length);
    const begin = Date.now();
    expectAway(await postEvents(gateway, asset, meanwhile));
    expect(Date.now() - begin).toBeLessThan(SOON_MS);
    await infrastructure.kafka.start();
    await Promise.all([posting, insistOn(meanwhile)]);
    // The broker may have taken what it did not answer for, and it was sent again: more is processed than was accepted.
    const stored = async () => {
      const [row] = await services.dataSource.query<{ events: number }[]>(
        'SELECT count(*)::int AS events FROM reporting.event WHERE asset_id = $1',
        [asset.assetId],
      );
      return row?.events;
    };
    await until(stored, (events) => events === STREAM.events.length, 120_000, 250);
    const look = () => statusOf(gateway, asset);
    const { accepted } = await until(look, ({ pending }) => pending === 0, 60_000, 100);
    expect(accepted).toBe(STREAM.sent.length);
    await expectNumbers(services, gateway, asset, STREAM);
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  }, 180_000);

  /** Posts a body as the interface says: again after a 503. */
  async function insistOn(body: readonly object[]): Promise<void> {
    for (const end = Date.now() + 90_000; ;) {
      const reply = await postEvents(gateway, asset, body);
      if (reply.status === 202) {
        expect(json(reply)).toMatchObject({ accepted: body.length, rejected: 0 });
        return;
      }
      expectAway(reply);
      if (Date.now() > end) throw new Error('Kafka is away for ever');
      await sleep(200);
    }
  }
});
