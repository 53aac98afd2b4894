import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { get } from '../fixtures/export-client.js';
import { FakeFile, moduleWith } from '../fixtures/fake-exports.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const geo = new FakeFile('geo');
let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({}, moduleWith([geo]));
});

beforeEach(async () => {
  asset = await service.newAsset();
  geo.reset();
});

afterAll(async () => {
  await service.stop();
});

const GEO = '/api/v1/export/geo.csv';
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

describe('a file', () => {
  it('comes with every header of a delivery', async () => {
    const { status, headers, body } = await get(service, asset, `${GEO}?from=2026-01-01&to=2026-01-31`);
    expect([status, body]).toEqual([200, 'name\nvalue\n']);
    const told = Object.fromEntries(headers);
    expect(told).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="tallyport-geo.csv"',
      'content-length': '11',
      etag: `"${sha256(body).toString('base64url')}"`,
      'repr-digest': `sha-256=:${sha256(body).toString('base64')}:`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-service-export-rows': '1',
      'x-service-asset': asset.assetId,
      'x-service-date-range': '2026-01-01..2026-01-31',
      'x-service-timezone': 'UTC',
      'ratelimit-policy': '"exports";q=100000;w=60',
    });
  });
});
