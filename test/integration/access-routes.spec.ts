import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  call,
  IMPORT_PATH,
  importFile,
  RawConnection,
  refused,
  until,
  type ProblemBody,
} from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const GOOD = 'date,channel,cost\n2024-01-07,Google,1\n';
const JOBS = `${IMPORT_PATH}/jobs`;

describe('a method that a path does not have is 405 with Allow', () => {
  it.each([
    ['GET', IMPORT_PATH, 'POST'],
    ['PUT', IMPORT_PATH, 'POST'],
    ['HEAD', IMPORT_PATH, 'POST'],
    ['OPTIONS', IMPORT_PATH, 'POST'],
    ['DELETE', `${JOBS}/${randomUUID()}`, 'GET, HEAD'],
    ['POST', JOBS, 'GET, HEAD'],
    ['GET', `${JOBS}/${randomUUID()}/cancel`, 'POST'],
    ['PATCH', `${IMPORT_PATH}/template?x=1`, 'GET, HEAD'],
    ['GET', `${IMPORT_PATH}/async`, 'POST'],
  ])('%s %s', async (method, path, allow) => {
    const answer = await call<ProblemBody>(service, asset, undefined, { method, path });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD')
      expect(answer.body).toMatchObject({ status: 405, code: 'method_not_allowed', instance: path.split('?')[0] });
  });

  it('HEAD is answered like GET, without a body', async () => {
    const answer = await call(service, asset, undefined, { method: 'HEAD', path: `${IMPORT_PATH}/template` });
    expect([answer.status, answer.body, Number(answer.headers.get('content-length')) > 100]).toEqual([200, '', true]);
  });
});

it.each([
  '/',
  '/api',
  '/api/v1',
  '/api/v1/cost-imports',
  '/api/v2/cost-import',
  '/API/V1/COST-IMPORT',
  '//api/v1/cost-import',
])('%s is 404', async (path) => {
  expect((await refused(service, asset, undefined, { method: 'GET', path })).body).toMatchObject({
    status: 404,
    code: 'not_found',
  });
});

describe('what is hardly HTTP is refused, and the service lives', () => {
  it.each([
    'GARBAGE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `POST ${IMPORT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n`,
    `POST ${IMPORT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  ])('%.50j', async (bytes) => {
    const connection = await RawConnection.open(service);
    connection.send(bytes);
    expect(
      await until(
        () => Promise.resolve(connection.received),
        (text) => text !== '',
      ),
    ).toMatch(/^HTTP\/1\.1 4\d\d /);
    connection.close();
    expect(await importFile(service, asset, GOOD)).toMatchObject({ ok: true });
  });

  it('a chunk of no size breaks only its own upload', async () => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, { 'Transfer-Encoding': 'chunked' });
    connection.send('zz\r\nxx\r\n');
    expect(
      await until(
        () => Promise.resolve(connection.received),
        (text) => text !== '',
      ),
    ).toMatch(/^HTTP\/1\.1 400 /);
    connection.close();
  });
});
