import { setTimeout as delay } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { DependencyAwayError, isDependencyAway } from '#runtime/dependency-away.js';
import { configOf, CSV, failureOf, faultCases, MIB, newKey } from '../testing/fault-cases.js';
import { type faultServer, refusing, silent } from '../testing/fault-server.js';
import { ObjectNotFoundError } from './object-store.js';
import { S3Store } from './s3.store.js';

const LINK = { expiresInSeconds: 300, fileName: 'a.csv', contentType: 'text/csv' };
const { storeOver } = faultCases();

describe('reading', () => {
  it('tries stat and get again, and knows a refusal from a store that is away', async () => {
    const once: NonNullable<Parameters<typeof faultServer>[0]>['get'] = (_request, response, attempt) =>
      attempt === 1 ? response.writeHead(503).end() : response.writeHead(200, { 'content-length': 2 }).end('ok');
    const { store } = await storeOver({ stat: once, get: once });
    expect(await store.stat(newKey())).toEqual({ bytes: 2 });
    expect((await buffer(await store.get(newKey()))).toString()).toBe('ok');

    const refused = await storeOver({ get: refusing(403, 'AccessDenied'), stat: refusing(403, '') });
    expect(isDependencyAway(await failureOf(refused.store.get(newKey())))).toBe(false);
    expect(isDependencyAway(await failureOf(refused.store.stat(newKey())))).toBe(false);
    expect(refused.server.count('get')).toBe(1);
  });

  it('takes a missing bucket for a fault, not for a missing object', async () => {
    const { store } = await storeOver({ get: refusing(404, 'NoSuchBucket') });
    expect(await failureOf(store.get(newKey()))).not.toBeInstanceOf(ObjectNotFoundError);
  });

  it('settles when the server is silent', async () => {
    const { store } = await storeOver({ get: silent, stat: silent });
    expect(isDependencyAway(await failureOf(store.get(newKey())))).toBe(true);
    expect(isDependencyAway(await failureOf(store.stat(newKey())))).toBe(true);
  });

  it('counts a refused connection as away, and says so', async () => {
    const store = new S3Store(Object.assign(configOf('http://127.0.0.1:1'), { S3_TIMEOUT_MS: 30_000 }));
    const works = [
      () => store.get(newKey()),
      () => store.stat(newKey()),
      () => store.put(newKey(), Buffer.from('x'), CSV),
    ];
    for (const work of works) {
      const failure = await failureOf(work());
      expect(failure).toBeInstanceOf(DependencyAwayError);
      expect((failure.cause as { code: string }).code).toBe('ECONNREFUSED');
    }
  });

  it.each([
    ['falls silent', () => undefined],
    ['dies', (socket: { destroy(): unknown }) => socket.destroy()],
  ])('fails, and does not end short, when the server %s in the middle', async (_, then) => {
    const { store } = await storeOver({
      get: (request, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('half', () => then(request.socket));
      },
    });
    const stream = await store.get(newKey());
    expect(isDependencyAway(await failureOf(buffer(stream)))).toBe(true);
  });

  it('does not take its own slowness for silence of the server', async () => {
    const { store } = await storeOver({ get: (_request, response) => response.end(Buffer.alloc(8 * MIB)) });
    const stream = await store.get(newKey());
    await new Promise((resolve) => stream.once('readable', resolve));
    await delay(1000);
    expect(await buffer(stream)).toHaveLength(8 * MIB);
  });
});

describe('presigning', () => {
  it('is for the public endpoint and asks no server', async () => {
    const store = new S3Store(
      Object.assign(configOf('http://127.0.0.1:1'), { S3_PUBLIC_ENDPOINT: 'https://files.example.com' }),
    );
    const url = new URL(await store.presign(newKey(), LINK));
    expect(url.origin).toBe('https://files.example.com');
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('300');
    expect(url.searchParams.get('response-content-disposition')).toBe('attachment; filename="a.csv"');
    expect(url.searchParams.get('response-content-type')).toBe('text/csv');
  });
});

describe('the health check', () => {
  it('asks the server once in ten seconds', async () => {
    const { server, store } = await storeOver({});
    await Promise.all([store.check(), store.check()]);
    await store.check();
    expect(server.count('bucket')).toBe(1);
  });

  it('fails soon when the server is silent, and names a missing bucket', async () => {
    const silently = await storeOver({ bucket: silent }, { S3_TIMEOUT_MS: 30_000 });
    const started = Date.now();
    await failureOf(silently.store.check());
    expect(Date.now() - started).toBeLessThan(2_000);
    const { store } = await storeOver({ bucket: refusing(404, '') });
    await expect(store.check()).rejects.toThrow('The bucket tallyport does not exist.');
  });
});
