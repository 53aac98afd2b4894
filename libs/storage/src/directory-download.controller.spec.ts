import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { downloadServer } from '../testing/download-server.js';
import { openFilesIn } from '../testing/fault-cases.js';
import { downloadLink } from './download-link.js';
import { objectKey } from './object-store.js';
import { DirectoryStore } from './directory.store.js';
import { StorageConfig } from './storage.config.js';

const directory = mkdtempSync(join(tmpdir(), 'downloads-'));
const settings = { STORAGE_DIRECTORY: directory, BASE_URL: 'https://tallyport.example.com/' };
const config = Object.assign(new StorageConfig(), settings);
const key = objectKey('exports', randomUUID(), randomUUID(), 'report.csv');
let server: Awaited<ReturnType<typeof downloadServer>>;
let url: string;

beforeAll(async () => {
  server = await downloadServer(config);
  await server.store.put(key, Buffer.from('0123456789'), { contentType: 'text/csv' });
  url = await server.store.presign(key, { expiresInSeconds: 300, fileName: 'report.csv', contentType: 'text/csv' });
});
afterAll(async () => {
  await server.end();
  rmSync(directory, { recursive: true });
});

describe('GET /files/<key>', () => {
  it('is where the links of the directory store lead', () => {
    expect(url).toMatch(
      new RegExp(
        `^https://tallyport\\.example\\.com/files/${key}\\?expires=\\d+&name=report\\.csv&type=text%2Fcsv&signature=[\\w-]{43}$`,
      ),
    );
  });

  it('sends the file as a download that nobody else keeps', async () => {
    const { status, headers, body } = await server.download(url);
    expect([status, body.toString()]).toEqual([200, '0123456789']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '10',
      'content-disposition': 'attachment; filename="report.csv"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
    });
  });

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-0,2-3', 200, '0123456789', null],
    ['bytes=4-3', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
  ])('answers Range: %s with %d', async (range, status, text, contentRange) => {
    const answer = await server.download(url, { range });
    expect([answer.status, answer.body.toString(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ]);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])(
    'refuses Range: %s, and says how long the file is',
    async (range) => {
      const { status, headers } = await server.download(url, { range });
      expect([status, headers.get('content-range')]).toEqual([416, 'bytes */10']);
    },
  );

  it('sends nothing to who has the file, and a range only of the file that the client knows', async () => {
    const etag = (await server.download(url)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, headers, body } = await server.download(url, { 'if-none-match': known });
      expect([status, headers.get('etag'), body.length]).toEqual([304, etag, 0]);
    }
    expect((await server.download(url, { 'if-none-match': '"x"' })).status).toBe(200);
    const ranged = { range: 'bytes=2-4', 'if-range': etag };
    expect(await server.download(url, ranged)).toMatchObject({ status: 206, body: Buffer.from('234') });
    for (const other of ['"anything"', `W/${etag}`, 'Sun, 22 Nov 2026 02:10:00 GMT'])
      expect((await server.download(url, { ...ranged, 'if-range': other })).status).toBe(200);
  });

  it('tells a link that was good that it has expired', async () => {
    const secret = await new DirectoryStore(config).linkSecret();
    const old = downloadLink(config.BASE_URL, secret, key, {
      expiresInSeconds: -1,
      fileName: 'a',
      contentType: 'text/csv',
    });
    const { status, body } = await server.download(old);
    expect([status, JSON.parse(body.toString())]).toEqual([410, { code: 'expired' }]);
  });

  it.each<[string, (link: URL) => void]>([
    [
      'a later end',
      (link) => {
        link.searchParams.set('expires', String(Number(link.searchParams.get('expires')) + 1));
      },
    ],
    [
      'the same end in other digits',
      (link) => {
        link.searchParams.set('expires', `0${link.searchParams.get('expires')}`);
      },
    ],
    [
      'another name',
      (link) => {
        link.searchParams.set('name', 'x.html');
      },
    ],
    [
      'another type',
      (link) => {
        link.searchParams.set('type', 'text/html');
      },
    ],
    [
      'no signature',
      (link) => {
        link.searchParams.delete('signature');
      },
    ],
    [
      'two signatures',
      (link) => {
        link.searchParams.append('signature', link.searchParams.get('signature') ?? '');
      },
    ],
    [
      'a short signature',
      (link) => {
        link.searchParams.set('signature', 'x');
      },
    ],
    ['another key', (link) => void (link.pathname = `/files/${objectKey('exports', randomUUID(), randomUUID(), 'a')}`)],
    ['a path', (link) => void (link.pathname = '/files/..%2f.link-secret')],
    ['a path to the secret', (link) => void (link.pathname = '/files/.link-secret')],
  ])('knows nothing under a link with %s', async (_, change) => {
    const changed = new URL(url);
    change(changed);
    const { status, body } = await server.download(changed.href);
    expect([status, JSON.parse(body.toString())]).toEqual([404, { code: 'not_found' }]);
  });

  it('knows nothing of a file that was removed', async () => {
    const gone = objectKey('exports', randomUUID(), randomUUID(), 'gone.csv');
    const link = await server.store.presign(gone, { expiresInSeconds: 300, fileName: 'a', contentType: 'text/csv' });
    expect((await server.download(link)).status).toBe(404);
  });

  it('closes the file when the client hangs up', async () => {
    const large = objectKey('exports', randomUUID(), randomUUID(), 'large.csv');
    await server.store.put(large, randomBytes(32 * 1024 * 1024), { contentType: 'text/csv' });
    const link = new URL(
      await server.store.presign(large, { expiresInSeconds: 300, fileName: 'a', contentType: 'text/csv' }),
    );
    await new Promise<void>((resolve, reject) => {
      const sent = request(`${server.origin}${link.pathname}${link.search}`, (response) => {
        response.once('data', () => {
          sent.destroy();
          resolve();
        });
      });
      sent.on('error', reject).end();
    });
    const opened = (): number => openFilesIn(directory).length;
    for (let wait = 0; wait < 100 && opened() > 0; wait++) await delay(20);
    expect(opened()).toBe(0);
  });

  it('reports the health of the store, and knows nothing when S3 is in use', async () => {
    expect(await server.health.ready()).toEqual({ status: 'ok', checks: { 'object-store': { status: 'up' } } });
    const s3 = { S3_ENDPOINT: 'http://127.0.0.1:1', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' };
    const other = await downloadServer(Object.assign(new StorageConfig(), settings, s3));
    try {
      const { status, body } = await other.download(url);
      expect([status, JSON.parse(body.toString())]).toEqual([404, { code: 'not_found' }]);
      expect((await other.health.ready()).checks['object-store']?.status).toBe('down');
    } finally {
      await other.end();
    }
  });
});
