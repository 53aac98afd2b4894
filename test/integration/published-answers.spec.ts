import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLEAN_CSV } from '#apps/gateway/src/published/cost-import.schemas.js';
import { ObjectStore } from '#storage/object-store.js';
import { askConforming, type Answer, type Ask } from '../support/ask-conforming.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const IMPORT = '/api/v1/cost-import';
const JOBS = '/api/v1/cost-import/jobs';
const TEMPLATE = '/api/v1/cost-import/template';
const UNKNOWN = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_EXPORTS_PER_MINUTE: '10' });
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

function ask(path: string, options: Partial<Ask> = {}): Promise<Answer> {
  return askConforming(service.baseUrl, path, { token: asset.token, ...options });
}

function upload(body: string, token: string): Promise<Answer> {
  return ask(IMPORT, { method: 'POST', token, headers: { 'Content-Type': 'text/csv' }, body });
}

describe('jobs and template', () => {
  it('200 pages, 400 for wrong parameters, 404 for another tenant', async () => {
    const { token } = await service.newAsset();
    for (let count = 0; count < 2; count++) await upload(CLEAN_CSV, token);
    const page = (await ask(`${JOBS}?limit=1`, { token })).body as {
      items: { import_id: string }[];
      next_cursor: string;
    };
    expect(page.items).toHaveLength(1);
    expect((await ask(`${JOBS}?limit=1&cursor=${page.next_cursor}`, { token })).body).toMatchObject({
      next_cursor: null,
    });
    expect((await ask(`${JOBS}/${page.items[0]!.import_id}`, { token })).body).toMatchObject({ status: 'succeeded' });
    for (const query of ['limit=0', 'limit=1&limit=2', 'cursor=x', 'unknown=1', 'asset_id=x']) {
      expect(await ask(`${JOBS}?${query}`, { token })).toMatchObject({ status: 400, code: 'invalid_parameter' });
    }
    for (const id of [UNKNOWN, 'no-uuid'])
      expect(await ask(`${JOBS}/${id}`, { token })).toMatchObject({ status: 404, code: 'not_found' });
    expect(await ask(`${JOBS}/${page.items[0]!.import_id}`)).toMatchObject({ status: 404 });
    expect(await ask(`${JOBS}/${page.items[0]!.import_id}/cancel`, { method: 'POST' })).toMatchObject({ status: 404 });
  });

  it('the template with every parameter, 304, 429', async () => {
    const { token } = await service.newAsset();
    const first = await ask(TEMPLATE, { token });
    expect(first.headers.get('content-disposition')).toBe('attachment; filename="tallyport_cost_template.csv"');
    const etag = first.headers.get('etag') ?? '';
    expect((await ask(TEMPLATE, { token, headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await ask(`${TEMPLATE}?example=1&bom=1&formulas=raw`, { token })).body).toMatch(/^date,|^\uFEFFdate,/);
    expect((await ask(TEMPLATE, { token, method: 'HEAD' })).headers.get('etag')).toBe(etag);
    expect(await ask(`${TEMPLATE}?bom=2`, { token })).toMatchObject({ status: 400 });
    const statuses = new Set<number>();
    for (let request = 0; request < 30 && !statuses.has(429); request++)
      statuses.add((await ask(TEMPLATE, { token })).status);
    expect(statuses.has(429)).toBe(true);
  });
});

describe('everything else', () => {
  it('404 and 405 where there is nothing', async () => {
    expect(await ask('/api/v1/nothing')).toMatchObject({ status: 404, code: 'not_found' });
    for (const method of ['PUT', 'DELETE', 'GET'])
      expect(await ask(IMPORT, { method })).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect((await ask(JOBS, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
  });

  it('what is open needs no token', async () => {
    for (const path of [
      '/health/live',
      '/health/ready',
      '/metrics',
      '/api/v1/openapi.json',
      '/api/v1/asyncapi.json',
      '/docs',
      '/docs/swagger-ui.css',
    ]) {
      expect((await ask(path, { token: null })).status).toBe(200);
      expect((await ask(path, { token: null, method: 'HEAD' })).status).toBe(200);
      expect(await ask(`${path}?unknown=1`, { token: null })).toMatchObject({ status: 400, code: 'invalid_parameter' });
    }
    expect(await ask('/docs/nothing.js', { token: null })).toMatchObject({ status: 404 });
  });

  it('a signed link: 200, 304, 206, 416, and 404 without its signature', async () => {
    const store = service.app.get(ObjectStore);
    const key = `imports/${asset.assetId}/${UNKNOWN}/upload.csv`;
    await store.put(key, Buffer.from(CLEAN_CSV), { contentType: 'text/csv' });
    const url = new URL(
      await store.presign(key, { fileName: 'upload.csv', contentType: 'text/csv', expiresInSeconds: 60 }),
      service.baseUrl,
    );
    const path = url.pathname + url.search;
    expect(await ask(path, { token: null })).toMatchObject({ status: 200, body: CLEAN_CSV });
    expect(await ask(path, { token: null, headers: { 'If-None-Match': '*' } })).toMatchObject({ status: 304 });
    expect(await ask(path, { token: null, headers: { Range: 'bytes=0-3' } })).toMatchObject({
      status: 206,
      body: 'date',
    });
    expect(await ask(path, { token: null, headers: { Range: 'bytes=9999-' } })).toMatchObject({
      status: 416,
      code: 'range_not_satisfiable',
    });
    expect(await ask(url.pathname, { token: null })).toMatchObject({ status: 404 });
  });
});
