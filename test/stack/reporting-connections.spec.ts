import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestAsset } from '../support/service.js';
import { eventStream } from './events-data.js';
import { fillEvents } from './fill-events.js';
import { until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import {
  allProcessed,
  collect,
  expectReported,
  exported,
  OVERVIEW,
  RAW_EVENTS,
  recordsOf,
} from './reporting-client.js';
import { stack } from './support.js';

const ROWS = 1_000_000;
const POOL_SIZE = 2;
const ONE_MB = 1_000_000;
const STREAM = eventStream({ events: 500, seed: 4 });
/** At which moment the client hangs up, ten times in a row. */
const MOMENTS = ['queued', 'building', 'downloading', 'building', 'downloading', 'queued', 'downloading', 'building', 'downloading', 'downloading'] as const; // prettier-ignore

describe('a client that hangs up in the middle of a million rows', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let reporting: ServiceProcess;
  let asset: TestAsset;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    const settings = { DATABASE_POOL_SIZE: String(POOL_SIZE) };
    gateway = await services.start('gateway', settings);
    reporting = await services.start('reporting', settings);
    asset = await services.newAsset();
    await fillEvents(services, asset, ROWS);
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  }, 240_000);

  afterAll(async () => {
    await services.stop();
  });

  /** Transactions that somebody has open, but for those of the server itself and this question's. */
  const open = () =>
    services.dataSource.query<object[]>(
      `SELECT state, left(query, 80) AS query FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
          AND (xact_start IS NOT NULL OR state LIKE 'idle in transaction%')`,
    );

  const connections = async () => {
    const [row] = await services.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
    );
    return row?.count ?? NaN;
  };

  const copying = async () => {
    const rows = await services.dataSource.query<object[]>(
      `SELECT FROM pg_stat_progress_copy WHERE datname = current_database() AND command = 'COPY TO' AND tuples_processed > 0`,
    );
    return rows.length > 0;
  };

  const waiting = () => gateway.metric('tallyport_exports_waiting');

  /** Asks for the million rows and leaves. */
  async function hangUp(moment: (typeof MOMENTS)[number]): Promise<void> {
    const request = get(gateway.url + RAW_EVENTS, { headers: { Authorization: `Bearer ${asset.token}` } });
    const ended = new Promise<void>((resolve) => request.once('close', resolve));
    const response = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    request.once('error', () => undefined);
    await until(waiting, (count) => count === 1);
    if (moment === 'building') await until(copying, (is) => is, 60_000, 5);
    if (moment === 'downloading') {
      const body = await response;
      expect(Number(body.headers['content-length'])).toBeGreaterThan(50 * ONE_MB);
      let bytes = 0;
      for await (const chunk of body) {
        bytes += (chunk as Buffer).length;
        if (bytes >= ONE_MB) break;
      }
      expect(bytes).toBeLessThan(2 * ONE_MB);
    }
    request.destroy();
    await ended;
    await until(waiting, (count) => count === 0);
  }

  it('ten times in a row leaves no transaction and no connection behind, with a pool of two', async () => {
    for (const moment of MOMENTS) await hangUp(moment);
    // An export that was accepted goes on.
    const records = () => recordsOf(gateway, asset);
    const all = await until(records, (list) => list.every(({ finished_at }) => finished_at !== null), 180_000, 250);
    expect(all.map(({ status, file }) => [status, file?.rows])).toEqual(MOMENTS.map(() => ['succeeded', ROWS]));
    expect(new Set(all.map(({ file }) => file?.sha256)).size).toBe(1);
    expect(await until(open, ({ length }) => length === 0, 10_000)).toEqual([]);
    // Those of the two services and of this test.
    expect(await connections()).toBeLessThanOrEqual(2 * POOL_SIZE + 1);

    const another = await services.newAsset();
    await collect(gateway, another, [STREAM.sent]);
    await allProcessed(gateway, another);
    await expectReported(services, gateway, another, STREAM);
    const whole = await exported(gateway, asset, RAW_EVENTS);
    expect([whole.headers.get('x-service-export-rows'), whole.sha256]).toEqual([String(ROWS), all[0]?.file?.sha256]);
    await exported(gateway, asset, OVERVIEW);
    expect(await until(open, ({ length }) => length === 0, 10_000)).toEqual([]);
    expect([gateway, reporting].map(({ runs }) => runs)).toEqual([true, true]);
  }, 300_000);
});
