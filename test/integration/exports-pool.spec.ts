import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RawConnection, until } from '../fixtures/cost-import-client.js';
import { endOf, get, order } from '../fixtures/export-client.js';
import {
  GEO,
  geo,
  passDeadline,
  RAW,
  raw,
  rows,
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
  service = await startService({ ...SHORT_LEASES, DATABASE_POOL_SIZE: '2' }, moduleWith([geo, raw]));
});

beforeEach(async () => {
  for (const file of [geo, raw]) file.reset();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
  delete process.env['DATABASE_POOL_SIZE'];
});

describe('with a pool of two connections', () => {
  it('a million rows and ten clients that hang up lose no connection', async () => {
    raw.make = (snapshot) => Promise.resolve({ chunks: rows(snapshot, 1_000_000) });
    for (let count = 0; count < 10; count++) {
      const client = await RawConnection.open(service);
      client.send(`GET ${RAW} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${asset.token}\r\n\r\n`);
      // Some leave while the file is built, some while it comes.
      if (count % 3 === 0) await Promise.race([once(client.socket, 'data'), sleep(20_000, undefined, { ref: false })]);
      else await sleep(40 * count);
      client.close();
    }
    raw.reset();
    const small = await get(service, asset, GEO);
    expect(small.status).toBe(200);
    await until(
      () =>
        service.dataSource.query<{ active: number }[]>(
          `SELECT count(*)::int AS active FROM exports.job WHERE status IN ('queued', 'running')`,
        ),
      ([row]) => row!.active === 0,
    );
    const connections = await service.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()',
    );
    expect(connections[0]!.count).toBeLessThanOrEqual(2);
    expect((await get(service, asset, RAW)).status).toBe(200);
    expect(await spooled()).toEqual([]);
  }, 120_000);

  it('builds that are stopped in the middle of a COPY lose none either', async () => {
    for (let count = 0; count < 4; count++) {
      let read = 0;
      raw.make = (snapshot) =>
        Promise.resolve({
          chunks: (async function* () {
            for await (const chunk of rows(snapshot, 1_000_000)) {
              read += chunk.length;
              if (read > 2_000_000)
                await (count % 2 === 0
                  ? sleep(60_000, undefined, { ref: false })
                  : Promise.reject(new Error('broken')));
              yield chunk;
            }
          })(),
        });
      const id = await order(service, asset, RAW);
      await until(
        () => Promise.resolve(read),
        (bytes) => bytes > 2_000_000,
      );
      if (count % 2 === 0) {
        await passDeadline(service, id);
        await takeAway(service, id);
      }
      expect(await endOf(service, asset, id)).toMatchObject({ status: 'failed' });
    }
    raw.reset();
    expect((await get(service, asset, RAW)).status).toBe(200);
    await until(
      () => running(service, 'generate_series'),
      (count) => count === 0,
    );
  });

  it('a second connection is not to be had', async () => {
    let second: unknown = 'not asked';
    geo.make = async (snapshot) => {
      second = await snapshot.second();
      return {};
    };
    expect((await get(service, asset, GEO)).status).toBe(200);
    expect(second).toBeUndefined();
  });
});
