import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v4 as uuidv4 } from 'uuid';
import { ASYNC_IMPORT_MAX_BYTES, SYNC_IMPORT_MAX_BYTES } from '#contracts/cost-import.js';
import {
  ALIASES_CSV,
  BY_POSITION_CSV,
  CLEAN_CSV,
  CLEAN_REPORT,
  MISTAKES_CSV,
  MIXED_REPORT,
  ROWS,
} from '#apps/gateway/src/published/cost-import.schemas.js';
import { askConforming, type Answer, type Ask } from '../support/ask-conforming.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const IMPORT = '/api/v1/cost-import';
const ASYNC = '/api/v1/cost-import/async';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({
    RATE_LIMIT_IMPORTS_PER_MINUTE: '40',
    IMPORT_QUEUED_PER_ASSET: '1',
    SLOW_BODY_MS: '2000',
  });
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

function ask(path: string, options: Partial<Ask> = {}): Promise<Answer> {
  return askConforming(service.baseUrl, path, { token: asset.token, ...options });
}

function upload(body: Ask['body'], options: Partial<Ask> = {}, path = IMPORT): Promise<Answer> {
  return ask(path, {
    method: 'POST',
    ...options,
    headers: { 'Content-Type': 'text/csv', ...options.headers },
    ...(body === undefined ? {} : { body }),
  });
}

describe('what the document shows is what the service does', () => {
  it.each([
    ['two rows', CLEAN_CSV, CLEAN_REPORT],
    ['mistakes', MISTAKES_CSV, MIXED_REPORT],
  ])('the example of %s gives the report of its example', async (_name, csv, report) => {
    const { token } = await service.newAsset();
    const { status, body } = await upload(csv, { token });
    expect(status).toBe(200);
    expect(body).toEqual(report);
  });

  it.each([
    ['aliases', ALIASES_CSV],
    ['no header', BY_POSITION_CSV],
  ])('the example of %s imports without remarks', async (_name, csv) => {
    expect((await upload(csv)).body).toMatchObject({ total: 1, skipped: 0, errors: [], warnings: [] });
  });

  it('the rows in JSON, and gzip', async () => {
    const { token } = await service.newAsset();
    const headers = { 'Content-Type': 'application/json' };
    expect((await upload(JSON.stringify(ROWS), { token, headers })).body).toEqual(CLEAN_REPORT);
    expect((await upload(gzipSync(CLEAN_CSV), { token, headers: { 'Content-Encoding': 'gzip' } })).body).toMatchObject({
      updated: 2,
    });
  });
});

describe('answers of an upload', () => {
  it.each([
    [400, 'empty_file', '', {}],
    [400, 'empty_file', '# nothing\n', {}],
    [400, 'malformed_csv', 'date,channel,cost\n"2026-01-04,x,1\n', {}],
    [400, 'invalid_encoding', Buffer.from([0x64, 0xff, 0xfe, 0x0a]), {}],
    [400, 'invalid_encoding', 'no gzip', { 'Content-Encoding': 'gzip' }],
    [400, 'invalid_json', '{"rows":', { 'Content-Type': 'application/json' }],
    [400, 'invalid_parameter', CLEAN_CSV, { 'Idempotency-Key': 'with space' }],
    [413, 'body_too_large', Buffer.alloc(SYNC_IMPORT_MAX_BYTES + 1, 'a'), {}],
    [415, 'unsupported_media_type', CLEAN_CSV, { 'Content-Type': 'text/plain' }],
    [415, 'unsupported_media_type', CLEAN_CSV, { 'Content-Encoding': 'br' }],
  ])('%i %s', async (status, code, body, headers) => {
    expect(await upload(body, { headers })).toMatchObject({ status, code });
  });

  it('401, 403, 404, 400 asset_required', async () => {
    const other = await service.newAsset();
    const reader = await service.newToken(asset.assetId, ['cost:read']);
    expect(await upload(CLEAN_CSV, { token: null })).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(await upload(CLEAN_CSV, { token: 'tp_nobody' })).toMatchObject({ status: 401 });
    expect(await upload(CLEAN_CSV, { token: reader })).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await upload(CLEAN_CSV, {}, `${IMPORT}?asset_id=${other.assetId}`)).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    const principal = `of two assets ${uuidv4()}`;
    for (const { assetId } of [asset, other]) await service.admin.addMember(assetId, principal, ['cost:write']);
    const { token } = await service.admin.createToken(principal);
    expect(await upload(CLEAN_CSV, { token })).toMatchObject({ status: 400, code: 'asset_required' });
  });

  it('422 for a key with another body, and the first result again for the same', async () => {
    const headers = { 'Idempotency-Key': 'a-key' };
    const first = await upload(CLEAN_CSV, { headers });
    const again = await upload(CLEAN_CSV, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('x-service-import-id')).toBe(first.headers.get('x-service-import-id'));
    expect(await upload(MISTAKES_CSV, { headers })).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('408 for a body that does not come', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('date,'));
      },
    });
    expect(await upload(body)).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('429 over the rate', async () => {
    const { token } = await service.newAsset();
    const statuses = new Set<number>();
    for (let request = 0; request < 90 && !statuses.has(429); request++)
      statuses.add((await upload('', { token })).status);
    expect([...statuses]).toEqual([400, 429]);
  });
});

describe('answers of an async upload', () => {
  it('202, and 429 queue_full while another waits, and 409 when it is canceled twice', async () => {
    const { token, assetId } = await service.newAsset();
    const hold = await holdImportsOf(assetId);
    try {
      const first = await upload(CLEAN_CSV, { token }, ASYNC);
      expect(first).toMatchObject({ status: 202, body: { status: 'queued' } });
      expect(await upload(CLEAN_CSV, { token }, ASYNC)).toMatchObject({ status: 429, code: 'queue_full' });
      const job = first.headers.get('location') ?? '';
      const waiting = await ask(job, { token });
      expect(waiting.headers.get('retry-after')).toBe('1');
      expect((await ask(`${job}/cancel`, { token, method: 'POST' })).body).toMatchObject({ status: 'canceled' });
      expect(await ask(`${job}/cancel`, { token, method: 'POST' })).toMatchObject({
        status: 409,
        code: 'invalid_state',
      });
    } finally {
      await hold();
    }
  });

  it.each([
    [400, 'empty_file', '', {}],
    [400, 'invalid_encoding', 'no gzip', { 'Content-Encoding': 'gzip' }],
    [413, 'body_too_large', gzipSync(Buffer.alloc(ASYNC_IMPORT_MAX_BYTES + 1, 'a')), { 'Content-Encoding': 'gzip' }],
    [415, 'unsupported_media_type', CLEAN_CSV, { 'Content-Type': 'application/xml' }],
  ])('%i %s', async (status, code, body, headers) => {
    expect(await upload(body, { headers }, ASYNC)).toMatchObject({ status, code });
  });

  it('the job of a file that is no CSV ends as failed', async () => {
    const { token } = await service.newAsset();
    const { headers } = await upload('date,channel,cost\n"', { token }, ASYNC);
    const job = await untilEnded(headers.get('location') ?? '', token);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'malformed_csv' } });
  });
});

/** Lets no worker take an import of the asset until the returned function is called. */
async function holdImportsOf(assetId: string): Promise<() => Promise<unknown>> {
  const name = `hold_${assetId.replaceAll('-', '')}`;
  await service.dataSource.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN NEW.status = 'running' AND NEW.asset_id = '${assetId}' THEN NULL ELSE NEW END; END $$;
    CREATE TRIGGER ${name} BEFORE UPDATE ON imports.job FOR EACH ROW EXECUTE FUNCTION ${name}();`);
  return () => service.dataSource.query(`DROP TRIGGER ${name} ON imports.job; DROP FUNCTION ${name};`);
}

async function untilEnded(job: string, token: string): Promise<unknown> {
  for (;;) {
    const { headers, body } = await ask(job, { token });
    if (headers.get('retry-after') === null) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
