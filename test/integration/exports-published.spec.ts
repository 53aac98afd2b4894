import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectStore } from '#storage/object-store.js';
import { askConforming, type Answer, type Ask } from '../support/ask-conforming.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const EXPORTS = '/api/v1/exports';
const UNKNOWN = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';
const FILES = [
  ...['channels', 'sources', 'geo', 'tech', 'overview', 'users'].map((report) => `/api/v1/export/${report}.csv`),
  '/api/v1/export/channels',
  '/api/v1/export/channels?format=json',
  '/api/v1/events/raw?format=csv',
  '/api/v1/consent/export',
  '/api/v1/consent/export?format=json',
  '/api/v1/integrity/evidence/refund.csv',
  '/api/v1/integrity/evidence/bundle.json',
  '/api/v1/integrity/blocklist/google.csv',
  '/api/v1/integrity/blocklist.csv?cap=7',
  '/api/v1/integrity/blocklist/meta.csv',
];

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const ask = (path: string, options: Partial<Ask> = {}): Promise<Answer> =>
  askConforming(service.baseUrl, path, { token: asset.token, ...options });
const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Every answer is checked against the OpenAPI document. */
describe.each(FILES)('%s answers as published', (path) => {
  it('200, 304 and 202, HEAD too', async () => {
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    expect((await ask(path, { method: 'HEAD' })).status).toBe(200);
    const known = { 'If-None-Match': headers.get('etag')! };
    for (const method of ['GET', 'HEAD']) expect((await ask(path, { method, headers: known })).status).toBe(304);
    for (const method of ['GET', 'HEAD'])
      expect((await ask(path, { method, headers: { Prefer: 'respond-async' } })).status).toBe(202);
  });

  it('401, 400, 404, 403 and 405', async () => {
    expect(await ask(path, { token: null })).toMatchObject({ status: 401 });
    for (const query of ['from=x', 'unknown=1', 'asset_id=x', 'bom=2'])
      expect(await ask(withQuery(path, query))).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(await ask(withQuery(path, 'from=2020-01-01&to=2026-01-01'))).toMatchObject({ code: 'range_too_large' });
    expect(await ask(withQuery(path, `asset_id=${UNKNOWN}`))).toMatchObject({ status: 404 });
    const token = await service.newToken(asset.assetId, []);
    expect(await ask(path, { token })).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await ask(path, { method: 'PUT' })).toMatchObject({ status: 405 });
  });
});

describe('exports answer as published', () => {
  it('to an unknown report', async () => {
    expect(await ask('/api/v1/export/nothing.csv')).toMatchObject({ status: 404, code: 'unknown_report' });
  });

  it('as records and lists, from the request to the expired file', async () => {
    const { body } = await ask(FILES[2]!, { headers: { Prefer: 'respond-async' } });
    const path = `${EXPORTS}/${(body as { export_id: string }).export_id}`;
    for (let ended = false; !ended;) {
      const record = (await ask(path)).body as { finished_at: string | null };
      ended = record.finished_at !== null;
    }
    const found = await fetch(`${service.baseUrl}${path}/file`, {
      redirect: 'manual',
      headers: { Authorization: `Bearer ${asset.token}` },
    });
    expect([found.status, found.headers.get('location')]).toEqual([302, expect.stringContaining('/files/exports/')]);
    const list = (await ask(`${EXPORTS}?limit=1`)).body as { next_cursor: string };
    expect((await ask(`${EXPORTS}?limit=1&cursor=${list.next_cursor}`)).status).toBe(200);
    const [row] = await service.dataSource.query<{ object_key: string }[]>(
      `SELECT object_key FROM exports.job WHERE export_id = $1`,
      [path.slice(EXPORTS.length + 1)],
    );
    await service.app.get(ObjectStore).remove(row!.object_key);
    expect(await ask(`${path}/file`)).toMatchObject({ status: 410, code: 'expired' });
    await service.dataSource.query(
      `UPDATE exports.job SET status = 'queued', file = 'users', service = 'none', finished_at = NULL WHERE export_id = $1`,
      [path.slice(EXPORTS.length + 1)],
    );
    expect(await ask(path)).toMatchObject({ status: 200, body: { status: 'queued' } });
    expect(await ask(`${path}/file`)).toMatchObject({ status: 409, code: 'invalid_state' });
  });

  it('with refusals of records', async () => {
    for (const path of [`${EXPORTS}/${UNKNOWN}`, `${EXPORTS}/x/file`, `${EXPORTS}/${UNKNOWN}/file`]) {
      expect(await ask(path)).toMatchObject({ status: 404 });
      expect(await ask(path, { token: null })).toMatchObject({ status: 401 });
      expect(await ask(`${path}?x=1`)).toMatchObject({ status: 400 });
    }
    for (const query of ['limit=0', 'cursor=x'])
      expect(await ask(`${EXPORTS}?${query}`)).toMatchObject({ status: 400 });
    const token = await service.newToken(asset.assetId, ['cost:read']);
    expect(await ask(EXPORTS, { token })).toMatchObject({ status: 403 });
  });

  it('with estimates', async () => {
    const estimate = (body: string, headers = { 'Content-Type': 'application/json' }): Promise<Answer> =>
      ask(`${EXPORTS}/estimate`, { method: 'POST', headers, body });
    for (const path of FILES) {
      const { status, body } = await estimate(JSON.stringify({ path }));
      const length = Number((await ask(path, { method: 'HEAD' })).headers.get('content-length'));
      // What a bundle holds beside its rows is known from bundles as a rule, with a checkpoint and a config.
      const bytes: unknown = path.endsWith('bundle.json') ? expect.any(Number) : length;
      expect([status, body]).toEqual([200, expect.objectContaining({ rows: 0, bytes, truncated: 0 })]);
    }
    expect(await estimate('{')).toMatchObject({ code: 'invalid_json' });
    expect(await estimate('{"path":"x"}')).toMatchObject({ code: 'invalid_parameter' });
    expect(await estimate('{"path":"/api/v1/export/x.csv"}')).toMatchObject({ code: 'unknown_report' });
    expect(await estimate('x'.repeat(20_000))).toMatchObject({ status: 413 });
    expect(await estimate('{}', { 'Content-Type': 'text/csv' })).toMatchObject({ status: 415 });
  });

  it('with 429, whose limit is told', async () => {
    const limited = await startService({ RATE_LIMIT_EXPORTS_PER_MINUTE: '1' });
    try {
      const { token } = await limited.newAsset();
      const statuses: number[] = [];
      for (let count = 0; count < 3; count++)
        statuses.push((await askConforming(limited.baseUrl, FILES[0]!, { token })).status);
      expect(statuses).toContain(429);
    } finally {
      await limited.stop();
      process.env['RATE_LIMIT_EXPORTS_PER_MINUTE'] = '100000';
    }
  });
});
