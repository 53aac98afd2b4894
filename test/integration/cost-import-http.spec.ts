import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  blockWrites,
  call,
  importFile,
  IMPORT_PATH,
  queueFile,
  RawConnection,
  refused,
  storedRows,
  until,
  type ProblemBody,
} from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ SLOW_BODY_MS: '700' });
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const GOOD = 'date,channel,cost\n2024-01-07,Google,1\n';
const SYNC_CAP = 8_388_608;
const ASYNC_CAP = 67_108_864;

/** A good file of exactly so many bytes. */
function fileOf(bytes: number): Buffer {
  return Buffer.concat([Buffer.from(GOOD), Buffer.alloc(bytes - GOOD.length, '#')]);
}

async function tooLarge(body: Buffer, path: string, headers: Record<string, string> = {}): Promise<ProblemBody> {
  const answer = await refused(service, asset, body, { path, headers });
  expect(answer.body).toMatchObject({ status: 413, code: 'body_too_large', instance: path });
  return answer.body;
}

const jobs = async (): Promise<{ items: unknown[] }> =>
  (await call<{ items: unknown[] }>(service, asset, undefined, { method: 'GET', path: `${IMPORT_PATH}/jobs` })).body;
const spooled = (): Promise<string[]> => readdir(process.env['SPOOL_DIRECTORY']!).catch(() => []);

describe('a sync body', () => {
  it('of 8,388,608 bytes passes', async () => {
    expect(await importFile(service, asset, fileOf(SYNC_CAP))).toMatchObject({ inserted: 1 });
  });

  it('of one byte more is 413, and is told where to go', async () => {
    expect(await tooLarge(fileOf(SYNC_CAP + 1), IMPORT_PATH)).toMatchObject({
      max_bytes: SYNC_CAP,
      async_url: '/api/v1/cost-import/async',
    });
    expect(await storedRows(service, asset)).toEqual([]);
  });

  it('of one byte more after inflation is 413', async () => {
    await tooLarge(gzipSync(fileOf(SYNC_CAP + 1)), IMPORT_PATH, { 'Content-Encoding': 'gzip' });
  });

  it('that says it is too long is refused before any of it is sent', async () => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, { 'Content-Length': String(SYNC_CAP + 1) });
    expect(await connection.answer()).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', max_bytes: SYNC_CAP },
    });
    connection.close();
  });

  it('in chunks is refused at the first byte too many, though more is to come', async () => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, { 'Transfer-Encoding': 'chunked' });
    const file = fileOf(SYNC_CAP);
    connection.send(Buffer.concat([Buffer.from(`${file.length.toString(16)}\r\n`), file, Buffer.from('\r\n')]));
    await sleep(200);
    expect(connection.received).toBe('');
    connection.send('1\r\n#\r\n');
    const answer = await connection.answer();
    expect(answer).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', async_url: '/api/v1/cost-import/async' },
    });
    expect(answer.head).toMatch(/connection: close/i);
    connection.close();
  });

  it('far too long is always answered, also to a client that sends on', async () => {
    const body = Buffer.alloc(SYNC_CAP + 4_000_000, '#');
    for (let attempt = 0; attempt < 20; attempt++) {
      await tooLarge(body, IMPORT_PATH);
      const chunks = new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(body));
          controller.close();
        },
      });
      expect((await refused(service, asset, chunks)).status).toBe(413);
    }
    expect(await spooled()).toEqual([]);
  });
});

describe('an async body', () => {
  it('of 67,108,864 bytes passes', async () => {
    expect(await queueFile(service, asset, fileOf(ASYNC_CAP))).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('of one byte more is 413, without another place to go', async () => {
    const problem = await tooLarge(fileOf(ASYNC_CAP + 1), `${IMPORT_PATH}/async`);
    expect(problem['max_bytes']).toBe(ASYNC_CAP);
    expect(problem).not.toHaveProperty('async_url');
  });

  it('of no bytes is empty_file at once', async () => {
    for (const body of ['', gzipSync('')]) {
      const headers: Record<string, string> = body === '' ? {} : { 'Content-Encoding': 'gzip' };
      expect((await refused(service, asset, body, { path: `${IMPORT_PATH}/async`, headers })).body).toMatchObject({
        status: 400,
        code: 'empty_file',
      });
    }
  });
});

describe.each([IMPORT_PATH, `${IMPORT_PATH}/async`])('the media type of %s', (path) => {
  it.each([
    'text/csv',
    'TEXT/CSV',
    'text/csv; charset=utf-8',
    'text/csv;charset="UTF-8"',
    'text/csv; charset=utf8; header=present',
    ' text/csv',
  ])('%j is accepted', async (type) => {
    expect((await call(service, asset, GOOD, { path, headers: { 'Content-Type': type } })).status).toBeLessThan(300);
  });

  it.each([
    'text/plain',
    'text/csv; charset=iso-8859-1',
    'text/csv; charset=utf-16',
    'application/json; charset=latin1',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/ndjson',
    'text/csvx',
    '*/*',
  ])('%j is not', async (type) => {
    expect(
      (await refused(service, asset, Buffer.from(GOOD), { path, headers: { 'Content-Type': type } })).body,
    ).toMatchObject({ status: 415, code: 'unsupported_media_type', accepted: ['text/csv', 'application/json'] });
  });

  it.each(['text', 'text/', '/', ';', 'text/csv, application/json', ''])(
    '%j is no media type at all, and 415 too',
    async (type) => {
      expect(
        (await refused(service, asset, Buffer.from(GOOD), { path, headers: { 'Content-Type': type } })).body,
      ).toMatchObject({ status: 415, code: 'unsupported_media_type', instance: path });
    },
  );

  it('without one is 415', async () => {
    const connection = await RawConnection.open(service);
    connection.send(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${asset.token}\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`,
    );
    expect(await connection.answer()).toMatchObject({
      status: 415,
      body: { accepted: ['text/csv', 'application/json'] },
    });
    connection.close();
  });

  it.each(['deflate', 'br', 'gzip, gzip', 'zstd', 'x'])(
    'Content-Encoding %s is 415 and names the accepted ones',
    async (encoding) => {
      expect(
        (await refused(service, asset, GOOD, { path, headers: { 'Content-Encoding': encoding } })).body,
      ).toMatchObject({ status: 415, code: 'unsupported_media_type', accepted: ['gzip', 'identity'] });
    },
  );
});

describe('a body that comes under 1 KB/s', () => {
  it.each([
    { 'Content-Length': '1000' },
    { 'Transfer-Encoding': 'chunked' },
    { 'Content-Length': '1000', 'Content-Encoding': 'gzip' },
  ])('is 408: %j', async (headers) => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, headers);
    connection.send('Transfer-Encoding' in headers ? '5\r\ndate,\r\n' : gzipSync(GOOD).subarray(0, 8));
    const answer = await connection.answer();
    expect(answer).toMatchObject({ status: 408, body: { code: 'request_timeout', status: 408 } });
    connection.close();
    expect(await spooled()).toEqual([]);
  });

  it('over it is patience enough, however long it takes', async () => {
    const connection = await RawConnection.open(service);
    const file = fileOf(12_000);
    connection.sendHead(asset, { 'Content-Length': String(file.length) });
    for (let at = 0; at < file.length; at += 1200) {
      connection.send(file.subarray(at, at + 1200));
      await sleep(200);
    }
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });
});

describe('a client that hangs up', () => {
  it.each([
    ['in the first bytes', { 'Content-Length': '5000000' }, 1000],
    ['in the middle, with a file on disk', { 'Content-Length': '5000000' }, 3_000_000],
    ['in the middle of chunks', { 'Transfer-Encoding': 'chunked' }, 3_000_000],
    ['in the middle of gzip', { 'Content-Length': '5000000', 'Content-Encoding': 'gzip' }, 10],
  ])('%s leaves neither file nor job', async (_name, headers, bytes) => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, headers);
    const sent = 'Content-Encoding' in headers ? gzipSync(GOOD).subarray(0, bytes) : fileOf(bytes);
    connection.send(
      'Transfer-Encoding' in headers ? Buffer.concat([Buffer.from(`${(bytes + 5).toString(16)}\r\n`), sent]) : sent,
    );
    if (bytes > 2_000_000) await until(spooled, (names) => names.length === 1);
    else await sleep(100);
    connection.close();
    await until(spooled, (names) => names.length === 0);
    expect((await jobs()).items).toEqual([]);
    expect(await importFile(service, asset, GOOD)).toMatchObject({ inserted: 1 });
  });

  it('while it waits for the report does not stop the import', async () => {
    const block = await blockWrites(service, asset);
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, { 'Content-Length': String(GOOD.length) });
    connection.send(GOOD);
    await until(jobs, ({ items }) => items.length === 1);
    connection.close();
    await block.release();
    await until(
      () => storedRows(service, asset),
      (rows) => rows.length === 1,
    );
  });
});
