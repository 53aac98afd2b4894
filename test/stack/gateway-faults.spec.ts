import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { TestAsset } from '../support/service.js';
import { costFile, Ledger } from './cost-data.js';
import { ended, expectImported, expectStored, insist, isConnectionError, post, type Answer } from './import-client.js';
import { holdComparing, until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { stack } from './support.js';

const FILE = costFile({ rows: 5_000, faulty: true });

describe('a gateway', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let asset: TestAsset;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    const worker = await services.start('import-worker');
    gateway = await services.start('gateway');
    await Promise.all([gateway.untilReady(), worker.untilReady()]);
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  beforeEach(async () => {
    asset = await services.newAsset();
  });

  const again = async () => (await services.start('gateway', { PORT: new URL(gateway.url).port })).untilReady();

  const jobs = () =>
    services.dataSource.query<{ import_id: string; status: string }[]>(
      'SELECT import_id, status FROM imports.job WHERE asset_id = $1',
      [asset.assetId],
    );

  const waiting = async () =>
    Number(
      /tallyport_sync_imports_waiting (\d+)/.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1] ?? NaN,
    );

  async function expectGoingOn(): Promise<void> {
    const { report, tries } = await insist(gateway, await services.newAsset(), FILE);
    expect([report.total, tries]).toEqual([FILE.rows, 1]);
  }

  /** A sync import whose client waits, held before it writes. */
  async function startWaiting(headers: Record<string, string> = {}, signal?: AbortSignal) {
    const hold = await holdComparing(services, asset);
    const answer: Promise<Answer<unknown> | Error> = post(gateway, asset, FILE, {
      headers,
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => error as Error);
    await hold.reached;
    const importId = (await jobs())[0]?.import_id ?? '';
    return { hold, answer, importId };
  }

  it('that is killed while a client waits: the import goes on, and the client that asks again gets its report', async () => {
    const key = randomUUID();
    const { hold, answer, importId } = await startWaiting({ 'Idempotency-Key': key });
    await gateway.kill();
    expect(await answer.then(isConnectionError)).toBe(true);
    gateway = await again();
    await hold.release();
    const second = await insist(gateway, asset, FILE, key);
    expect(second.importId).toBe(importId);
    const job = await ended(gateway, asset, importId);
    expect(second.report).toEqual(job.report);
    expect(await jobs()).toHaveLength(1);
    await expectImported(services, asset, job, FILE, new Ledger());
    await expectGoingOn();
  });

  it('that is told to stop answers the waiting client at once, naming the import, which goes on', async () => {
    const { hold, answer, importId } = await startWaiting();
    const begin = Date.now();
    const exit = gateway.terminate();
    expect(await answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(Date.now() - begin).toBeLessThan(3_000);
    const headers = ((await answer) as Answer<unknown>).headers;
    expect(headers.get('location')).toBe(`/api/v1/cost-import/jobs/${importId}`);
    expect(await exit).toEqual({ code: null, signal: 'SIGTERM' });
    gateway = await again();
    await hold.release();
    await expectImported(services, asset, await ended(gateway, asset, importId), FILE, new Ledger());
    await expectGoingOn();
  });

  it('forgets a client that hangs up while it waits; its import goes on', async () => {
    const client = new AbortController();
    const { hold, answer, importId } = await startWaiting({}, client.signal);
    expect(await waiting()).toBe(1);
    client.abort();
    await answer;
    await until(waiting, (count) => count === 0);
    await hold.release();
    await expectImported(services, asset, await ended(gateway, asset, importId), FILE, new Ledger());
    await expectGoingOn();
  });

  it('keeps nothing of an upload whose client hangs up in the middle', async () => {
    const { hostname, port } = new URL(gateway.url);
    const uploads = async () =>
      Number(
        /tallyport_uploads_in_flight (\d+)/.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1] ?? NaN,
      );
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = ['POST /api/v1/cost-import HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${asset.token}`];
    socket.write(
      [...head, 'Content-Type: text/csv', `Content-Length: ${FILE.csv.length}`, '', FILE.csv.slice(0, 99_000)].join(
        '\r\n',
      ),
    );
    await until(uploads, (count) => count === 1);
    socket.destroy();
    await until(uploads, (count) => count === 0);
    expect(await jobs()).toEqual([]);
    await expectStored(services, asset, new Ledger());
    await expectGoingOn();
  });
});
