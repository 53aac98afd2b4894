import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '#deploy/stack/fetch.js';
import { type Infrastructure, startInfrastructure } from '#deploy/stack/infrastructure.js';
import type { ExportRecord } from '#contracts/exports.js';
import { ExportCompleted } from '#contracts/events/export-completed.js';
import type { TestAsset } from '../support/service.js';
import { until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { download, fillRawEvents, RAW, type Download } from './raw-events.js';

const MANY = 300_000;
const GEO = '/api/v1/export/geo.csv';

describe('exports', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallyport-exports-'));
  const spool = join(dataDir, 'reporting-spool');
  let infrastructure: Infrastructure;
  let services: Services;
  let gateway: ServiceProcess;
  let reporting: ServiceProcess;
  let asset: TestAsset;

  const startReporting = (settings: Record<string, string> = {}): Promise<ServiceProcess> =>
    services.start('reporting', { SPOOL_DIRECTORY: spool, ...settings });

  beforeAll(async () => {
    infrastructure = await startInfrastructure({
      home: process.env['TALLYPORT_STACK_HOME'] ?? join(projectRoot(), '.stack'),
      dataDir,
    });
    services = await Services.on(infrastructure.env);
    gateway = await services.start('gateway');
    reporting = await startReporting();
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
    asset = await services.newAsset();
    await fillRawEvents(services.dataSource, asset, MANY);
  }, 180_000);

  afterAll(async () => {
    await services.stop();
    await infrastructure.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  beforeEach(async () => {
    if (!reporting.runs) reporting = await startReporting();
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  });

  const spooledBytes = (): number => {
    try {
      return readdirSync(spool).reduce((bytes, name) => bytes + statSync(join(spool, name)).size, 0);
    } catch {
      return 0;
    }
  };
  const record = async (id: string): Promise<ExportRecord> =>
    (await (
      await fetch(`${gateway.url}/api/v1/exports/${id}`, { headers: { Authorization: `Bearer ${asset.token}` } })
    ).json()) as ExportRecord;
  const attemptOf = async (id: string): Promise<number> => {
    const [row] = await services.dataSource.query<{ attempt: number }[]>(
      'SELECT attempt FROM exports.job WHERE export_id = $1',
      [id],
    );
    return row?.attempt ?? 0;
  };

  /** The whole file, as its own headers tell it. */
  function expectWhole({ status, headers, bytes, sha256 }: Download): void {
    const digest = Buffer.from(sha256, 'hex').toString('base64');
    expect([status, headers.get('content-length'), headers.get('repr-digest')]).toEqual([
      200,
      String(bytes),
      `sha-256=:${digest}:`,
    ]);
    expect(headers.get('x-service-export-rows')).toBe(String(MANY));
  }

  it('are told on their topic, and a small one comes in milliseconds', async () => {
    await download(gateway, asset, GEO);
    const times: number[] = [];
    for (let count = 0; count < 30; count++) {
      const begin = performance.now();
      const { status } = await download(gateway, asset, GEO);
      times.push(performance.now() - begin);
      expect(status).toBe(200);
    }
    const median = times.sort((a, b) => a - b)[15] ?? NaN;
    process.stderr.write(`a small report over Kafka and MinIO: p50 ${median.toFixed(1)} ms\n`);
    expect(median).toBeLessThan(250);
    const told = await until(
      () => services.events<ExportCompleted>(ExportCompleted.topic, asset),
      (events) => events.length === 31,
      20_000,
      200,
    );
    expect(told[0]).toMatchObject({ file: 'geo', asset_id: asset.assetId });
  });

  it('whose service is killed while it builds are built by the next one', async () => {
    const coming = download(gateway, asset, RAW);
    await until(
      () => Promise.resolve(spooledBytes()),
      (bytes) => bytes > 5_000_000,
      20_000,
      2,
    );
    await reporting.kill();
    reporting = await startReporting();
    const file = await coming;
    expectWhole(file);
    expect(await attemptOf(file.headers.get('x-service-export-id') ?? '')).toBe(2);
    expect(spooledBytes()).toBe(0);
  }, 120_000);

  it('whose service is killed while it uploads are uploaded by the next one', async () => {
    const first = await download(gateway, asset, RAW);
    expectWhole(first);
    await infrastructure.minio.kill();
    const accepted = await fetch(`${gateway.url}/health/ready`);
    expect([200, 503]).toContain(accepted.status);
    // Asked for while the gateway still takes the storage for good, or put into the queue by hand.
    const id = await queueByHand(first.headers.get('x-service-export-id') ?? '');
    await until(
      () => Promise.resolve(spooledBytes()),
      (bytes) => bytes >= first.bytes,
      60_000,
      20,
    );
    await infrastructure.minio.start();
    await sleep(30);
    await reporting.kill();
    reporting = await startReporting();
    const ended = await until(
      () => record(id),
      ({ finished_at: end }) => end !== null,
      60_000,
      200,
    );
    expect(ended).toMatchObject({ status: 'succeeded', file: { bytes: first.bytes, sha256: first.sha256 } });
    const link = await fetch(ended.download_url ?? '');
    expect([link.status, (await link.arrayBuffer()).byteLength]).toEqual([200, first.bytes]);
    const part = await fetch(ended.download_url ?? '', { headers: { Range: 'bytes=0-9' } });
    expect([part.status, await part.text()]).toEqual([206, 'event_time']);
  }, 180_000);

  /** The same export once more, without the gateway, which takes none while the storage is away. */
  async function queueByHand(like: string): Promise<string> {
    const [row] = await services.dataSource.query<{ export_id: string }[]>(
      `INSERT INTO exports.job (asset_id, export_id, service, file, path, query, parameters, awaited, requested_by, deadline_at)
       SELECT asset_id, gen_random_uuid(), service, file, path, query, parameters, true, requested_by, clock_timestamp() + interval '10 min'
         FROM exports.job WHERE export_id = $1 RETURNING export_id`,
      [like],
    );
    return row?.export_id ?? '';
  }

  it('are 503 with Retry-After while the object storage is down, and work again when it is back', async () => {
    await infrastructure.minio.kill();
    const begin = Date.now();
    const answers = await Promise.all([download(gateway, asset, GEO), download(gateway, asset, RAW)]);
    for (const { status, headers, text } of answers) {
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
      expect(JSON.parse(text)).toMatchObject({ code: 'unavailable' });
    }
    expect(Date.now() - begin).toBeLessThan(25_000);
    expect((await download(gateway, asset, GEO)).status).toBe(503);
    await infrastructure.minio.start();
    expect(
      (
        await until(
          () => download(gateway, asset, GEO),
          ({ status }) => status === 200,
          20_000,
          500,
        )
      ).status,
    ).toBe(200);
    for (const { headers } of answers) {
      const id = headers.get('x-service-export-id');
      if (id === null) continue;
      expect(
        (
          await until(
            () => record(id),
            ({ finished_at: end }) => end !== null,
            60_000,
            200,
          )
        ).status,
      ).toBe('succeeded');
    }
  }, 180_000);

  it('go on after PostgreSQL was killed while one was built', async () => {
    const coming = download(gateway, asset, RAW);
    await until(
      () => Promise.resolve(spooledBytes()),
      (bytes) => bytes > 5_000_000,
      20_000,
      2,
    );
    await infrastructure.postgres.kill();
    await infrastructure.postgres.start();
    expectWhole(await coming);
    expect((await download(gateway, asset, GEO)).status).toBe(200);
  }, 120_000);

  it('come although Kafka is away', async () => {
    await infrastructure.kafka.stop();
    const begin = Date.now();
    expect((await download(gateway, asset, GEO)).status).toBe(200);
    expect(Date.now() - begin).toBeLessThan(5_000);
    await infrastructure.kafka.start();
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  }, 120_000);

  it('hung up on ten times, with pools of two connections, leave none behind', async () => {
    await reporting.terminate();
    reporting = await startReporting({ DATABASE_POOL_SIZE: '2' });
    const small = await services.start('gateway', { DATABASE_POOL_SIZE: '2' });
    await Promise.all([small.untilReady(), reporting.untilReady()]);
    for (let count = 0; count < 10; count++) {
      const { hostname, port } = new URL(small.url);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(`GET ${RAW} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${asset.token}\r\n\r\n`);
      // Half of them leave in the middle of the file.
      if (count % 2 === 0) await new Promise((resolve) => socket.once('data', resolve));
      else await sleep(100);
      socket.destroy();
    }
    expectWhole(await download(small, asset, RAW));
    expect((await download(small, asset, GEO)).status).toBe(200);
    await until(
      () =>
        services.dataSource.query<{ count: number }[]>(
          `SELECT count(*)::int FROM exports.job WHERE status IN ('queued', 'running')`,
        ),
      ([row]) => row?.count === 0,
      60_000,
      100,
    );
    for (const process of [small, reporting]) {
      const sockets = socketsOf(process.pid, infrastructure.env.S3_ENDPOINT);
      expect(sockets).toBeLessThanOrEqual(3);
    }
    await small.kill();
    await reporting.terminate();
  }, 180_000);

  it('of a million rows pass in flat memory', async () => {
    const large = await services.newAsset();
    await fillRawEvents(services.dataSource, large, 1_000_000);
    await sleep(2_000);
    const processes = { gateway, reporting };
    await download(gateway, asset, GEO);
    const idle = Object.entries(processes).map(([name, { pid }]) => [name, memoryOf(pid, 'VmRSS')] as const);
    const begin = performance.now();
    const { status, bytes } = await download(gateway, large, RAW);
    const seconds = (performance.now() - begin) / 1000;
    expect(status).toBe(200);
    for (const [name, before] of idle) {
      const peak = memoryOf(processes[name as keyof typeof processes].pid, 'VmHWM');
      process.stderr.write(
        `${name}: ${before.toFixed(0)} MB idle, ${peak.toFixed(0)} MB at most; ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(2)} s\n`,
      );
      expect(peak - before).toBeLessThan(100);
    }
  }, 180_000);
});

/** In MB. */
function memoryOf(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Connections of a process to a server on this machine. */
function socketsOf(pid: number, endpoint: string): number {
  const port = Number(new URL(endpoint).port).toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n');
  const inodes = new Set(
    lines
      .filter((line) => line.split(/\s+/)[3]?.endsWith(`:${port}`) === true && line.split(/\s+/)[4] === '01')
      .map((line) => line.split(/\s+/)[10]),
  );
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return inodes.has(/socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? '');
    } catch {
      return false;
    }
  }).length;
}
