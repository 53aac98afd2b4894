import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { EXPORTS, get, order } from '../fixtures/export-client.js';
import { call } from '../fixtures/cost-import-client.js';
import { FakeFile, moduleWith } from '../fixtures/fake-exports.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const geo = new FakeFile('geo');
let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_EXPORTS_PER_MINUTE: '5' }, moduleWith([geo]));
});

beforeEach(async () => {
  asset = await service.newAsset();
  // A window that ends in the middle would count anew.
  const secondsLeft = 60 - ((Date.now() / 1000) % 60);
  if (secondsLeft < 8) await new Promise((resolve) => setTimeout(resolve, (secondsLeft + 0.5) * 1000));
});

afterAll(async () => {
  await service.stop();
});

const GEO = '/api/v1/export/geo.csv';

it('counts what builds a file: GET, HEAD, 304 and 202, and nothing else', async () => {
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    get(service, asset, path, { headers, method });
  const { headers } = await ask(GEO);
  await ask(GEO, {}, 'HEAD');
  expect((await ask(GEO, { 'If-None-Match': headers.get('etag')! })).status).toBe(304);
  const id = await order(service, asset, GEO);
  for (const path of [`${GEO}?x=1`, `${GEO}?from=x`, `${GEO}?from=2020-01-01`, '/api/v1/export/x.csv'])
    expect((await ask(path)).status).toBeGreaterThanOrEqual(400);
  for (const path of [EXPORTS, `${EXPORTS}/${id}`]) expect((await ask(path)).status).toBe(200);
  const body = JSON.stringify({ path: GEO });
  const json = { 'Content-Type': 'application/json' };
  const estimate = await call(service, asset, body, { path: `${EXPORTS}/estimate`, headers: json });
  expect(estimate.status).toBe(200);
  const unpermitted = { ...asset, token: await service.newToken(asset.assetId, ['cost:read']) };
  expect((await get(service, unpermitted, GEO)).status).toBe(403);

  expect((await ask(GEO)).headers.get('ratelimit')).toMatch(/^"exports";r=0;t=\d+$/);
  const builds = geo.builds;
  const limited = await get<{ code: string }>(service, asset, GEO);
  expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(geo.builds).toBe(builds);
});

it('counts each token for itself', async () => {
  for (let count = 0; count < 5; count++) expect((await get(service, asset, GEO)).status).toBe(200);
  expect((await get(service, asset, GEO)).status).toBe(429);
  const other = { ...asset, token: await service.newToken(asset.assetId, ['reports:read']) };
  expect((await get(service, other, GEO)).status).toBe(200);
});
