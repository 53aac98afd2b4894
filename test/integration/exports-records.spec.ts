import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExportRecord } from '#contracts/exports.js';
import { ExportHousekeeping } from '#jobs/export-housekeeping.js';
import { ExportRunner } from '#jobs/export-runner.js';
import { ObjectStore } from '#storage/object-store.js';
import { call, type Answer, type ProblemBody } from '../fixtures/cost-import-client.js';
import { endOf, EXPORTS, get, order, recordOf } from '../fixtures/export-client.js';
import { FakeFile, moduleWith } from '../fixtures/fake-exports.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const geo = new FakeFile('geo');
const GEO = '/api/v1/export/geo.csv';
let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({}, moduleWith([geo]));
});

beforeEach(async () => {
  geo.reset();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

interface List {
  items: ExportRecord[];
  next_cursor: string | null;
}

const list = async (query = ''): Promise<List> => (await get<List>(service, asset, `${EXPORTS}${query}`)).body;
/** A path of a link, asked where the service listens. */
const follow = (url: string, headers: Record<string, string> = {}): Promise<Response> => {
  const { pathname, search } = new URL(url);
  return fetch(service.baseUrl + pathname + search, { headers });
};
const fileOf = (id: string) =>
  fetch(`${service.baseUrl}${EXPORTS}/${id}/file`, {
    redirect: 'manual',
    headers: { Authorization: `Bearer ${asset.token}` },
  });

describe('the record of an export', () => {
  it('says who asked for what, what came of it, and where it is', async () => {
    geo.make = () =>
      Promise.resolve({
        text: 'a\n1\n2\n',
        limit: 5000,
        truncated: 3,
        counts: () => ({ rows: 2, formulasEscaped: 0 }),
      });
    const { headers } = await get(service, asset, `${GEO}?from=2026-01-01&to=2026-01-31&bom=0`);
    const id = headers.get('x-service-export-id')!;
    const { status, headers: told, body: record } = await get<ExportRecord>(service, asset, `${EXPORTS}/${id}`);
    expect([status, told.get('retry-after')]).toEqual([200, null]);
    expect(record).toEqual({
      export_id: id,
      path: GEO,
      parameters: { asset_id: asset.assetId, from: '2026-01-01', to: '2026-01-31', bom: '0' },
      status: 'succeeded',
      requested_by: expect.stringMatching(/^principal \d+$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      file: {
        name: 'tallyport-geo.csv',
        bytes: 6,
        sha256: createHash('sha256').update('a\n1\n2\n').digest('hex'),
        rows: 2,
        limit: 5000,
        truncated: 3,
      },
      download_url: expect.stringContaining(`/files/exports/${asset.assetId}/${id}/tallyport-geo.csv?`),
      error: null,
    });
    const file = await follow(record.download_url!);
    expect([file.status, file.headers.get('content-disposition'), await file.text()]).toEqual([
      200,
      'attachment; filename="tallyport-geo.csv"',
      'a\n1\n2\n',
    ]);
    const part = await follow(record.download_url!, { Range: 'bytes=2-3' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-3/6', '1\n']);
  });

  it('of one that has not ended asks to come again, and its file is not there yet', async () => {
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    geo.make = async () => {
      await held;
      return {};
    };
    const id = await order(service, asset, GEO);
    const { headers, body } = await get<ExportRecord>(service, asset, `${EXPORTS}/${id}`);
    expect([headers.get('retry-after'), body.file, body.download_url, body.finished_at]).toEqual([
      '1',
      null,
      null,
      null,
    ]);
    const refused = await fileOf(id);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      409,
      '1',
      { code: 'invalid_state' },
    ]);
    open();
    await endOf(service, asset, id);
    const found = await fileOf(id);
    expect([found.status, found.headers.get('cache-control'), await found.text()]).toEqual([302, 'no-store', '']);
    expect(await (await follow(found.headers.get('location')!)).text()).toBe('name\nvalue\n');
  });

  it('of one that failed has no file for good', async () => {
    geo.make = () => Promise.reject(new Error('broken'));
    const id = await order(service, asset, GEO);
    expect(await endOf(service, asset, id)).toMatchObject({
      status: 'failed',
      error: { status: 500, code: 'internal' },
    });
    const refused = await fileOf(id);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([409, null]);
  });

  it('outlives its file: after seven days, or when it is gone, that is expired', async () => {
    const [old, removed] = [await order(service, asset, GEO), await order(service, asset, GEO)];
    for (const id of [old, removed]) await endOf(service, asset, id);
    await service.dataSource.query(
      `UPDATE exports.job SET finished_at = clock_timestamp() - interval '7 days' WHERE export_id = $1`,
      [old],
    );
    const [row] = await service.dataSource.query<{ object_key: string }[]>(
      'SELECT object_key FROM exports.job WHERE export_id = $1',
      [removed],
    );
    await service.app.get(ObjectStore).remove(row!.object_key);
    for (const id of [old, removed]) {
      const refused = await fileOf(id);
      expect([refused.status, await refused.json()]).toMatchObject([410, { code: 'expired' }]);
    }
    expect(await recordOf(service, asset, old)).toMatchObject({ status: 'succeeded', download_url: null });
  });

  it('is there for its own asset only, and not for an estimate', async () => {
    const id = await order(service, asset, GEO);
    const other = await service.newAsset();
    const estimate = await estimateOf({ path: GEO });
    const [{ export_id: estimated } = { export_id: '' }] = await service.dataSource.query<{ export_id: string }[]>(
      `SELECT export_id FROM exports.job WHERE kind = 'estimate' AND asset_id = $1`,
      [asset.assetId],
    );
    expect(estimate.status).toBe(200);
    for (const [who, what] of [
      [other, id],
      [asset, estimated],
      [asset, '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10'],
      [asset, 'no-uuid'],
    ] as const) {
      for (const path of [`${EXPORTS}/${what}`, `${EXPORTS}/${what}/file`])
        expect(await get(service, who, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await get(service, asset, `${EXPORTS}/${id}?asset_id=${other.assetId}`)).status).toBe(404);
    expect((await get(service, asset, `${EXPORTS}/${id}?asset_id=${asset.assetId}`)).status).toBe(200);
  });

  it('is kept 400 days, and an estimate one', async () => {
    const [kept, old] = [await order(service, asset, GEO), await order(service, asset, GEO)];
    for (const id of [kept, old]) await endOf(service, asset, id);
    for (const path of [GEO, GEO]) await estimateOf({ path });
    const age = (days: number, where: string, id: string | null): Promise<unknown> =>
      service.dataSource.query(
        `UPDATE exports.job SET finished_at = clock_timestamp() - $1 * interval '1 day'
          WHERE asset_id = $2 AND ($3::uuid IS NULL OR export_id = $3) AND ${where}`,
        [days, asset.assetId, id],
      );
    await age(399.9, `kind = 'file'`, kept);
    await age(400.1, `kind = 'file'`, old);
    await age(1.1, `kind = 'estimate'`, null);
    expect(service.app.get(ExportHousekeeping)).toBeInstanceOf(ExportHousekeeping);
    expect(await service.app.get(ExportRunner).queue.deleteOld(400)).toBe(3);
    expect((await list()).items.map(({ export_id: id }) => id)).toEqual([kept]);
  });
});

describe('the list of exports', () => {
  it('is paged, newest first, without one twice or lost', async () => {
    expect(await list()).toEqual({ items: [], next_cursor: null });
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift(await order(service, asset, GEO));
    await estimateOf({ path: GEO });
    for (const id of ids) await endOf(service, asset, id);
    // The same microsecond: then the id decides.
    await service.dataSource.query(
      `UPDATE exports.job SET created_at = '2026-01-01T00:00:00.123456Z' WHERE export_id = ANY($1)`,
      [ids.slice(1, 4)],
    );
    const whole = await list();
    expect([whole.items.length, whole.next_cursor, whole.items[0]!.export_id]).toEqual([5, null, ids[0]]);
    const read: ExportRecord[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: List = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      read.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(read.map(({ export_id: id }) => id)).toEqual(whole.items.map(({ export_id: id }) => id));
    const alone = await recordOf(service, asset, ids[0]!);
    expect({ ...whole.items[0], download_url: null }).toEqual({ ...alone, download_url: null });
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=', 'limit=1&limit=1', 'status=failed'])(
    'refuses ?%s',
    async (query) => {
      expect(await get(service, asset, `${EXPORTS}?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_parameter' },
      });
    },
  );
});

function estimateOf(body: unknown, headers: Record<string, string> = {}): Promise<Answer<ProblemBody>> {
  return call<ProblemBody>(service, asset, typeof body === 'string' ? body : JSON.stringify(body), {
    path: `${EXPORTS}/estimate`,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

describe('an estimate', () => {
  it('says rows and bytes before the file is made', async () => {
    geo.guess = async (snapshot, { parameters }) => {
      const [row] = await snapshot.query<{ rows: number }>('SELECT 1234 AS rows');
      return { rows: row!.rows + (parameters.from === '2026-01-01' ? 0 : 1), bytesPerRow: 20.5, limit: null };
    };
    const { status, body } = await estimateOf({ path: GEO, from: '2026-01-01', to: '2026-01-31' });
    expect([status, body]).toEqual([200, { rows: 1234, bytes: 25_297, limit: null, truncated: 0 }]);
    expect(geo.builds).toBe(0);
    geo.guess = () => Promise.resolve({ rows: 6000, bytesPerRow: 10, limit: 5000 });
    expect((await estimateOf({ path: `${GEO}?bom=1` })).body).toEqual({
      rows: 5000,
      bytes: 50_000,
      limit: 5000,
      truncated: 1000,
    });
    geo.guess = () => Promise.resolve({ rows: 0, bytesPerRow: 0, limit: 5000, bytesBeside: 58 });
    expect((await estimateOf({ path: GEO })).body).toEqual({ rows: 0, bytes: 58, limit: 5000, truncated: 0 });
    expect((await list()).items).toEqual([]);
  });

  it('comes soon, although nothing but a look tells of it', async () => {
    geo.guess = () => Promise.resolve({ rows: 1, bytesPerRow: 1, limit: null });
    const started = Date.now();
    for (let count = 0; count < 5; count++) expect((await estimateOf({ path: GEO })).status).toBe(200);
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it.each([
    ['{"path":', 400, 'invalid_json'],
    [{}, 400, 'invalid_parameter'],
    [{ path: GEO, colour: 'red' }, 400, 'invalid_parameter'],
    [{ path: '/api/v1/export/nothing.csv' }, 404, 'unknown_report'],
    [{ path: GEO, from: '2020-01-01', to: '2026-01-01' }, 400, 'range_too_large'],
    [{ path: GEO, from: 'x'.repeat(20_000) }, 413, 'body_too_large'],
    ['', 400, 'invalid_json'],
  ])('refuses %.60j', async (body, status, code) => {
    expect(await estimateOf(body)).toMatchObject({ status, body: { code } });
  });

  it('refuses what is no JSON by its type, and a query that it does not know', async () => {
    expect(await estimateOf({ path: GEO }, { 'Content-Type': 'text/plain' })).toMatchObject({ status: 415 });
    const answer = await call(service, asset, JSON.stringify({ path: GEO }), {
      path: `${EXPORTS}/estimate?from=2026-01-01`,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ name: 'from' }] } });
  });

  it('that fails is a bare 500', async () => {
    geo.guess = () => Promise.reject(new Error('a secret'));
    const { status, body } = await estimateOf({ path: GEO });
    expect([status, body.code, JSON.stringify(body).includes('secret')]).toEqual([500, 'internal', false]);
  });
});
