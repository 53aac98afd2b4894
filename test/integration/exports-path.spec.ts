import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { AppError } from '#contracts/errors.js';
import { endLeases } from '#jobs/end-leases.js';
import type { ExportSnapshot } from '#jobs/export-definition.js';
import { createApp } from '#runtime/bootstrap.js';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { ObjectStore } from '#storage/object-store.js';
import { until, type ProblemBody } from '../fixtures/cost-import-client.js';
import { endOf, EXPORTS, get, order, recordOf } from '../fixtures/export-client.js';
import {
  endless,
  GEO,
  geo,
  passDeadline,
  RAW,
  raw,
  rowOf,
  running,
  SHORT_LEASES,
  spooled,
  takeAway,
} from '../fixtures/export-faults.js';
import { moduleWith } from '../fixtures/fake-exports.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService(SHORT_LEASES, moduleWith([geo, raw]));
});

beforeEach(async () => {
  for (const file of [geo, raw]) file.reset();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

describe('an export', () => {
  it('that fails is 500 without a word, and a record', async () => {
    for (const make of [
      () => Promise.reject(new Error('a secret')),
      async (snapshot: ExportSnapshot) => {
        await snapshot.query('SELECT 1 / 0');
        return {};
      },
      (snapshot: ExportSnapshot) =>
        Promise.resolve({
          chunks: snapshot.copyTo(`COPY (SELECT 1 / (5000 - i) FROM generate_series(1, 5000) AS i) TO STDOUT`),
        }),
    ]) {
      geo.make = make;
      const { status, headers, body } = await get<ProblemBody>(service, asset, GEO);
      expect([status, body]).toEqual([
        500,
        {
          type: 'urn:problem:internal',
          title: 'Internal error',
          status: 500,
          code: 'internal',
          instance: GEO,
          request_id: expect.any(String),
        },
      ]);
      const record = await recordOf(service, asset, headers.get('x-service-export-id')!);
      expect(record).toMatchObject({ status: 'failed', file: null, download_url: null, error: { code: 'internal' } });
      expect(await spooled()).toEqual([]);
    }
    expect(await get(service, asset, GEO, { method: 'HEAD' })).toMatchObject({ status: 500, body: '' });
    geo.reset();
    expect((await get(service, asset, GEO)).status).toBe(200);
  });

  it('passes on what its definition says against it', async () => {
    geo.make = () => Promise.reject(new AppError('invalid_state', 'The run has not ended.'));
    expect(await get(service, asset, GEO)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', detail: 'The run has not ended.' },
    });
  });

  it('is of one moment, on two connections too', async () => {
    await service.dataSource.query('CREATE TABLE IF NOT EXISTS moment (x int)');
    await service.dataSource.query('TRUNCATE moment');
    let seen: unknown;
    geo.make = async (snapshot) => {
      const counted = 'SELECT count(*)::int AS n FROM moment';
      const before = await snapshot.query(counted);
      await service.dataSource.query('INSERT INTO moment VALUES (1)');
      const second = await snapshot.second();
      const third = await snapshot.second();
      seen = [before, await snapshot.query(counted), await second?.query(counted), await third?.query(counted)];
      await expect(second!.query('INSERT INTO moment VALUES (2)')).rejects.toThrow('read-only');
      return {};
    };
    expect((await get(service, asset, GEO)).status).toBe(200);
    expect(seen).toEqual([[{ n: 0 }], [{ n: 0 }], [{ n: 0 }], [{ n: 0 }]]);
    geo.make = async (snapshot) => {
      seen = await Promise.all([snapshot.second(), snapshot.second(), snapshot.second()]);
      return {};
    };
    expect((await get(service, asset, GEO)).status).toBe(200);
    expect((seen as unknown[]).map((one) => one === undefined)).toEqual([false, false, true]);
  });

  it('that two large ones are before is not held up when it is small', async () => {
    raw.make = endless;
    const large = [await order(service, asset, RAW), await order(service, asset, RAW)];
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 2,
    );
    expect((await get(service, asset, GEO)).status).toBe(200);
    for (const id of large) {
      await passDeadline(service, id);
      await takeAway(service, id);
      expect(await endOf(service, asset, id)).toMatchObject({ status: 'failed', error: { code: 'export_timeout' } });
    }
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 0,
    );
  });

  it('whose worker is gone is made by another, under a key of its own', async () => {
    geo.make = async (snapshot) => (geo.builds === 1 ? endless(snapshot) : { text: 'second\n' });
    const answer = get(service, asset, GEO);
    const [job] = await until(
      () =>
        service.dataSource.query<{ export_id: string }[]>(
          `SELECT export_id FROM exports.job WHERE asset_id = $1 AND status = 'running'`,
          [asset.assetId],
        ),
      (found) => found.length === 1,
    );
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 1,
    );
    await takeAway(service, job!.export_id);
    expect(await answer).toMatchObject({ status: 200, body: 'second\n' });
    expect(await rowOf(service, job!.export_id)).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      object_key: `exports/${asset.assetId}/${job!.export_id}/2-tallyport-geo.csv`,
      awaited: true,
    });
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 0,
    );
  });

  it('that lost its lease before it could end leaves the end to another', async () => {
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    geo.make = async () => {
      if (geo.builds === 1) await held;
      return { text: `${geo.builds}\n` };
    };
    const id = await order(service, asset, GEO);
    await until(
      () => rowOf(service, id),
      ({ status }) => status === 'running',
    );
    await service.dataSource.query(`UPDATE exports.job SET attempt = 7 WHERE export_id = $1`, [id]);
    open();
    await sleep(300);
    expect(await rowOf(service, id)).toMatchObject({ status: 'running' });
    await service.dataSource.query(
      `UPDATE exports.job SET attempt = 1, lease_until = clock_timestamp() WHERE export_id = $1`,
      [id],
    );
    expect(await endOf(service, asset, id)).toMatchObject({ status: 'succeeded' });
    expect(await rowOf(service, id)).toMatchObject({ attempt: 2 });
  });

  it('whose worker dies three times is given up', async () => {
    geo.make = endless;
    const answer = get<ProblemBody>(service, asset, GEO);
    for (let attempt = 1; attempt <= 3; attempt++) {
      const job = await until(
        async () =>
          (
            await service.dataSource.query<{ export_id: string; attempt: number }[]>(
              `SELECT export_id, attempt FROM exports.job WHERE asset_id = $1 AND status = 'running' AND locked_by <> 'another'`,
              [asset.assetId],
            )
          )[0],
        (found) => found?.attempt === attempt,
      );
      await takeAway(service, job!.export_id);
    }
    expect(await answer).toMatchObject({ status: 500, body: { code: 'internal' } });
    await until(
      () => running(service, 'pg_sleep(600)'),
      (count) => count === 0,
    );
  });

  it('is kept while the object storage is away, its client is told, and comes when it is back', async () => {
    const store = service.app.get(ObjectStore);
    const away = () => Promise.reject(new DependencyAwayError('away'));
    const [putting, checking] = [jest.spyOn(store, 'put'), jest.spyOn(store, 'check')];
    putting.mockImplementation(away);
    checking.mockImplementation(() => Promise.resolve());
    try {
      const started = Date.now();
      const answer = get<ProblemBody>(service, asset, GEO);
      await until(
        () => Promise.resolve(geo.builds),
        (builds) => builds === 1,
      );
      checking.mockImplementation(away);
      const { status, headers, body } = await answer;
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
      expect(Date.now() - started).toBeLessThan(6_000);
      const id = headers.get('x-service-export-id')!;
      expect(headers.get('location')).toBe(`${EXPORTS}/${id}`);

      const refused = await get<ProblemBody>(service, asset, GEO);
      expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('location')]).toEqual([
        503,
        '5',
        null,
      ]);
      jest.restoreAllMocks();
      expect(await endOf(service, asset, id)).toMatchObject({ status: 'succeeded' });
      expect(geo.builds).toBe(1);
      expect((await get(service, asset, GEO)).status).toBe(200);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('whose end was committed although the answer was lost is not made again', async () => {
    const dataSource = service.app.get(DataSource);
    const transaction = dataSource.transaction.bind(dataSource) as (work: unknown) => Promise<unknown>;
    let lost = 0;
    geo.make = () => {
      jest.spyOn(dataSource, 'transaction').mockImplementationOnce(async (work: unknown) => {
        await transaction(work);
        lost++;
        throw new DependencyAwayError('the answer was lost');
      });
      return Promise.resolve({});
    };
    const id = await order(service, asset, GEO);
    expect(await endOf(service, asset, id)).toMatchObject({ status: 'succeeded' });
    await sleep(600);
    jest.restoreAllMocks();
    expect([lost, geo.builds, (await recordOf(service, asset, id)).status]).toEqual([1, 1, 'succeeded']);
    expect(await spooled()).toEqual([]);
  });

  it('of a process that was killed and starts again need not wait until its lease runs out', async () => {
    const id = await order(service, asset, GEO);
    await endOf(service, asset, id);
    await service.dataSource.query(
      `UPDATE exports.job SET status = 'running', locked_by = 'the dead', lease_until = clock_timestamp() + interval '1 hour', finished_at = NULL
        WHERE export_id = $1`,
      [id],
    );
    await sleep(200);
    expect(await rowOf(service, id)).toMatchObject({ status: 'running', locked_by: 'the dead' });
    await endLeases(service.dataSource);
    expect(await endOf(service, asset, id)).toMatchObject({ status: 'succeeded' });
    expect(await rowOf(service, id)).toMatchObject({ attempt: 2 });
  });

  it('is made once, however many services share the queue', async () => {
    const second = await createApp(moduleWith([geo, raw]));
    await second.init();
    try {
      const ids = await Promise.all(Array.from({ length: 30 }, () => order(service, asset, GEO)));
      const records = await Promise.all(ids.map((id) => endOf(service, asset, id)));
      expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['succeeded']));
      expect(geo.builds).toBe(30);
      const rows = await Promise.all(ids.map((id) => rowOf(service, id)));
      expect(new Set(rows.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    } finally {
      await second.close();
    }
  });
});
