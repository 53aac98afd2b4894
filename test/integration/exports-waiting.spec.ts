import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { RawConnection, until, type ProblemBody } from '../fixtures/cost-import-client.js';
import { endOf, EXPORTS, get, recordOf } from '../fixtures/export-client.js';
import { endless, GEO, geo, RAW, raw, rowOf, running, SHORT_LEASES } from '../fixtures/export-faults.js';
import { moduleWith } from '../fixtures/fake-exports.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

async function start(settings: Record<string, string> = {}): Promise<void> {
  service = await startService(
    { ...SHORT_LEASES, EXPORT_WAIT_TIMEOUT_MS: '', EXPORT_TIMEOUT_MS: '', EXPORT_CONCURRENCY: '', ...settings },
    moduleWith([geo, raw]),
  );
  asset = await service.newAsset();
}

beforeEach(() => {
  for (const file of [geo, raw]) file.reset();
});

afterEach(async () => {
  await service.stop();
});

describe('a client that waits', () => {
  it('is told where the file will be when it takes long', async () => {
    await start({ EXPORT_WAIT_TIMEOUT_MS: '300' });
    geo.make = async (snapshot) => {
      await snapshot.query('SELECT pg_sleep(1)');
      return {};
    };
    const { status, headers, body } = await get<ProblemBody>(service, asset, GEO);
    const id = headers.get('x-service-export-id')!;
    expect([status, body.code, headers.get('location')]).toEqual([504, 'export_timeout', `${EXPORTS}/${id}`]);
    expect(await endOf(service, asset, id)).toMatchObject({ status: 'succeeded' });
  });

  it('is told of the last deadline of its export', async () => {
    await start({ EXPORT_TIMEOUT_MS: '400' });
    geo.make = endless;
    const { status, headers, body } = await get<ProblemBody>(service, asset, GEO);
    expect([status, body.code]).toEqual([504, 'export_timeout']);
    expect(await recordOf(service, asset, headers.get('x-service-export-id')!)).toMatchObject({
      status: 'failed',
      error: { code: 'export_timeout', status: 504 },
    });
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 0,
    );
  });

  it('lets others go first when it leaves', async () => {
    await start({ EXPORT_CONCURRENCY: '1' });
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    geo.make = async () => {
      await held;
      return {};
    };
    const first = get(service, asset, GEO);
    await until(
      () => Promise.resolve(geo.builds),
      (builds) => builds === 1,
    );
    const leaving = await RawConnection.open(service);
    leaving.send(`GET ${RAW} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${asset.token}\r\n\r\n`);
    const queued = await until(
      async () =>
        (await get<{ items: { export_id: string; status: string }[] }>(service, asset, EXPORTS)).body.items[0],
      (item) => item?.status === 'queued',
    );
    expect(await rowOf(service, queued!.export_id)).toMatchObject({ awaited: true });
    leaving.close();
    await until(
      () => rowOf(service, queued!.export_id),
      ({ awaited }) => !awaited,
    );
    open();
    expect((await first).status).toBe(200);
    expect(await endOf(service, asset, queued!.export_id)).toMatchObject({ status: 'succeeded' });
  });

  it('is told of its export when the gateway stops, and another takes it over', async () => {
    await start();
    geo.make = endless;
    const answer = get<ProblemBody>(service, asset, GEO);
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 1,
    );
    const observer = await new DataSource({ type: 'postgres', url: service.databaseUrl }).initialize();
    try {
      await service.app.close();
      const { status, headers, body } = await answer;
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
      const id = headers.get('x-service-export-id')!;
      expect([headers.get('location'), body.detail]).toEqual([`${EXPORTS}/${id}`, expect.stringContaining(id)]);
      const [row] = await observer.query<object[]>(
        'SELECT status, attempt, locked_by FROM exports.job WHERE export_id = $1',
        [id],
      );
      expect(row).toEqual({ status: 'queued', attempt: 0, locked_by: null });
    } finally {
      await observer.destroy();
    }
  });
});
