import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '#runtime/config.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { latestCheckpointKey, objectKey } from '#storage/object-store.js';
import { S3Connection } from '#storage/s3.connection.js';
import { S3Store } from '#storage/s3.store.js';
import { StorageConfig } from '#storage/storage.config.js';
import { describeObjectStore } from '../../libs/storage/testing/object-store.suite.js';
import { stack } from './support.js';

const MIB = 1024 * 1024;
const CSV = { contentType: 'text/csv' };
const LINK = { fileName: 'a.csv', contentType: 'text/csv' };

const config = loadConfig(StorageConfig, { ...stack.env, S3_BUCKET: `storage-${randomUUID()}` });
const newKey = (): string => objectKey('imports', randomUUID(), randomUUID(), 'costs.csv');

async function download(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

describeObjectStore('an S3 server', () => {
  const store = new S3Store(config);
  return Promise.resolve({
    store,
    download,
    end: () => {
      store.close();
      return Promise.resolve();
    },
  });
});

describe('the S3 store on a real server', () => {
  const directory = mkdtempSync(join(tmpdir(), 's3-store-'));
  const store = new S3Store(config);
  const connection = new S3Connection({
    endpoint: config.S3_ENDPOINT,
    accessKey: config.S3_ACCESS_KEY,
    secretKey: config.S3_SECRET_KEY,
    region: config.S3_REGION,
    silenceMs: 30_000,
  });
  const client = connection.client();
  beforeAll(() => store.prepare());
  afterAll(() => {
    store.close();
    connection.close();
    rmSync(directory, { recursive: true });
  });

  function fileOf(content: Buffer): { path: string; bytes: number } {
    const path = join(directory, randomUUID());
    writeFileSync(path, content);
    return { path, bytes: content.length };
  }

  it('keeps the expiry rules, however often it is prepared', async () => {
    await store.prepare();
    const { Rule: rules } = (await client.getBucketLifecycle(config.S3_BUCKET)) as unknown as { Rule: unknown[] };
    expect(rules).toHaveLength(2);
    expect(rules).toContainEqual(expect.objectContaining({ Filter: { Prefix: 'exports/' }, Expiration: { Days: 7 } }));
    expect(rules).toContainEqual(expect.objectContaining({ Filter: { Prefix: 'imports/' }, Expiration: { Days: 30 } }));
  });

  it('keeps every version of the newest checkpoint, and of files that expire none for long', async () => {
    expect(await client.getBucketVersioning(config.S3_BUCKET)).toMatchObject({ Status: 'Enabled' });
    const key = latestCheckpointKey(randomUUID());
    for (const note of ['old', 'new']) await store.put(key, Buffer.from(note), CSV);
    const listed = client.listObjects(config.S3_BUCKET, key, true, { IncludeVersion: true });
    expect(await listed.toArray()).toHaveLength(2);
    const { Rule: rules } = (await client.getBucketLifecycle(config.S3_BUCKET)) as unknown as { Rule: unknown[] };
    for (const rule of rules) expect(rule).toMatchObject({ NoncurrentVersionExpiration: { NoncurrentDays: 1 } });
  });

  it('keeps the content type it was told, of a buffer and of parts', async () => {
    const [small, large] = [newKey(), newKey()];
    await store.put(small, Buffer.from('x'), { contentType: 'text/csv' });
    await store.put(large, fileOf(randomBytes(6 * MIB)), { contentType: 'application/json' });
    const typeOf = async (key: string): Promise<unknown> =>
      (await client.statObject(config.S3_BUCKET, key)).metaData['content-type'];
    expect(await typeOf(small)).toBe('text/csv');
    expect(await typeOf(large)).toBe('application/json');
  });

  it('leaves no unfinished upload when a put is aborted on the way', async () => {
    const key = newKey();
    const abort = new AbortController();
    const reason = new Error('the client hung up');
    const put = store
      .put(key, fileOf(randomBytes(60 * MIB)), { ...CSV, signal: abort.signal })
      .catch((error: unknown) => error);
    const lister = client as unknown as { listParts(bucket: string, key: string, id: string): Promise<unknown[]> };
    // The upload is known to its writer once a part of it has arrived.
    for (let parts = 0; parts === 0;) {
      const id = await client.findUploadId(config.S3_BUCKET, key);
      if (id !== undefined) parts = (await lister.listParts(config.S3_BUCKET, key, id)).length;
    }
    abort.abort(reason);
    expect(await put).toBe(reason);
    expect(await client.findUploadId(config.S3_BUCKET, key)).toBeUndefined();
    expect(await store.stat(key)).toBeUndefined();
  });

  it('does not mix the parts of two writers of one key', async () => {
    const key = newKey();
    const contents = [Buffer.alloc(12 * MIB, 'a'), Buffer.alloc(12 * MIB, 'b')];
    await Promise.all(contents.map((content) => store.put(key, fileOf(content), CSV)));
    const stored = await buffer(await store.get(key));
    expect(contents.some((content) => content.equals(stored))).toBe(true);
  });

  it('does not continue an unfinished upload that somebody left', async () => {
    const key = newKey();
    const left = await client.initiateNewMultipartUpload(config.S3_BUCKET, key, {});
    const part = { bucketName: config.S3_BUCKET, objectName: key, uploadID: left, partNumber: 2, headers: {} };
    await client.uploadPart(part, Buffer.alloc(5 * MIB, 'z'));
    const content = randomBytes(12 * MIB);
    await store.put(key, fileOf(content), CSV);
    expect((await buffer(await store.get(key))).equals(content)).toBe(true);
    await client.abortMultipartUpload(config.S3_BUCKET, key, left);
  });

  it('serves nothing without a signature or after its end', async () => {
    const key = newKey();
    await store.put(key, Buffer.from('mine'), CSV);
    const url = await store.presign(key, { ...LINK, expiresInSeconds: 1 });
    expect((await download(url.slice(0, url.indexOf('?')))).status).toBe(403);
    const deadline = Date.now() + 10_000;
    let status = 200;
    while (status === 200 && Date.now() < deadline) {
      await delay(200);
      ({ status } = await download(url));
    }
    expect(status).toBe(403);
  });

  it('does not take wrong credentials for a store that is away', async () => {
    const stranger = new S3Store(Object.assign(new StorageConfig(), config, { S3_SECRET_KEY: 'wrong' }));
    const failure: unknown = await stranger.put(newKey(), Buffer.from('x'), CSV).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isDependencyAway(failure)).toBe(false);
    stranger.close();
  });
});
