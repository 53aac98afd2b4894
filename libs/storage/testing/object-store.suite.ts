import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GrowingFile } from '#storage/growing-file.js';
import {
  checkpointKey,
  latestCheckpointKey,
  ObjectNotFoundError,
  objectKey,
  RangeOutsideError,
  WrongSizeError,
  type ObjectStore,
} from '#storage/object-store.js';

export interface StoreUnderTest {
  store: ObjectStore;
  /** GETs a presigned URL: over the network, or through the part of the gateway that serves it. */
  download: (
    url: string,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; headers: Headers; body: Buffer }>;
  end: () => Promise<void>;
}

const CSV = { contentType: 'text/csv; charset=utf-8' };

/** What every implementation of ObjectStore must do, against any endpoint. */
export function describeObjectStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`an object store: ${name}`, () => {
    let made: StoreUnderTest;
    let store: ObjectStore;
    let directory: string;
    beforeAll(async () => {
      made = await make();
      store = made.store;
      directory = await mkdtemp(join(tmpdir(), 'store-suite-'));
      await store.prepare();
    });
    afterAll(async () => {
      await made.end();
      await rm(directory, { recursive: true, force: true });
    });

    const newKey = (file = 'costs.csv'): string => objectKey('imports', randomUUID(), randomUUID(), file);
    const read = async (stream: Promise<Readable>): Promise<Buffer> => buffer(await stream);
    async function fileOf(content: Buffer): Promise<{ path: string; bytes: number }> {
      const path = join(directory, randomUUID());
      await writeFile(path, content);
      return { path, bytes: content.length };
    }

    async function growingFile() {
      const file = new GrowingFile(join(directory, randomUUID()));
      await writeFile(file.path, '');
      const grow = async (bytes: Buffer): Promise<void> => {
        await appendFile(file.path, bytes);
        file.grow(bytes.length);
      };
      return { file, grow };
    }

    it('gives back the bytes of a buffer', async () => {
      const key = newKey();
      const content = randomBytes(300_000);
      await store.put(key, content, CSV);
      expect(await store.stat(key)).toEqual({ bytes: 300_000 });
      expect((await read(store.get(key))).equals(content)).toBe(true);
    });

    it.each([1, 5 * 1024 * 1024, 5 * 1024 * 1024 + 1, 13 * 1024 * 1024 + 7])(
      'gives back the bytes of a file of %d bytes',
      async (bytes) => {
        const key = newKey();
        const content = randomBytes(bytes);
        await store.put(key, await fileOf(content), CSV);
        expect(await store.stat(key)).toEqual({ bytes });
        expect(sha256(await read(store.get(key)))).toBe(sha256(content));
      },
    );

    it.each([1, 10 * 1024 * 1024, 10 * 1024 * 1024 + 1, 23 * 1024 * 1024 + 7])(
      'gives back the bytes of a file that grew to %d bytes meanwhile',
      async (bytes) => {
        const key = newKey();
        const content = randomBytes(bytes);
        const { file, grow } = await growingFile();
        const put = store.put(key, file, CSV);
        for (let from = 0; from < bytes; from += 3_000_000) await grow(content.subarray(from, from + 3_000_000));
        expect(await store.stat(key)).toBeUndefined();
        file.end();
        await put;
        expect(await store.stat(key)).toEqual({ bytes });
        expect(sha256(await read(store.get(key)))).toBe(sha256(content));
      },
    );

    it.each([1000, 13 * 1024 * 1024])('stores nothing of a file that breaks after %d bytes', async (bytes) => {
      const key = newKey();
      const { file, grow } = await growingFile();
      const put = store.put(key, file, CSV);
      const reason = new Error('the query failed');
      void grow(Buffer.alloc(bytes)).then(() => {
        file.break(reason);
      });
      await expect(put).rejects.toBe(reason);
      expect(await store.stat(key)).toBeUndefined();
    });

    it('keeps checkpoints, and the newest of them once more', async () => {
      const asset = randomUUID();
      const latest = latestCheckpointKey(asset);
      for (const size of [5, 1_234_567]) {
        await store.put(checkpointKey(asset, size), Buffer.from(`${size}`), CSV);
        await store.put(latest, Buffer.from(`${size}`), CSV);
      }
      expect((await read(store.get(checkpointKey(asset, 5)))).toString()).toBe('5');
      expect((await read(store.get(latest))).toString()).toBe('1234567');
    });

    it('keeps an empty object', async () => {
      const [fromBuffer, fromFile] = [newKey(), newKey()];
      await store.put(fromBuffer, Buffer.alloc(0), CSV);
      await store.put(fromFile, await fileOf(Buffer.alloc(0)), CSV);
      for (const key of [fromBuffer, fromFile]) {
        expect(await store.stat(key)).toEqual({ bytes: 0 });
        expect(await read(store.get(key))).toHaveLength(0);
      }
    });

    it('reads ranges, both ends inclusive, cut at the end of the object', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('0123456789'), CSV);
      const part = async (from?: number, to?: number): Promise<string> =>
        (await read(store.get(key, { from, to }))).toString();
      expect(await part(2, 4)).toBe('234');
      expect(await part(0, 0)).toBe('0');
      expect(await part(undefined, 3)).toBe('0123');
      expect(await part(7)).toBe('789');
      expect(await part(7, 99)).toBe('789');
      await expect(store.get(key, { from: 10 })).rejects.toThrow(RangeOutsideError);
      await expect(store.get(key, { from: 4, to: 3 })).rejects.toThrow(RangeError);
    });

    it('knows what is not there', async () => {
      expect(await store.stat(newKey())).toBeUndefined();
      await expect(store.get(newKey())).rejects.toThrow(ObjectNotFoundError);
      await expect(store.get(newKey(), { from: 5 })).rejects.toThrow(ObjectNotFoundError);
    });

    it('removes, also what is not there', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('x'), CSV);
      await store.remove(key);
      await store.remove(key);
      expect(await store.stat(key)).toBeUndefined();
    });

    it('can repeat a put, as a redelivered message does', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('the first attempt'), CSV);
      await store.put(key, Buffer.from('the second'), CSV);
      expect((await read(store.get(key))).toString()).toBe('the second');
    });

    it.each([-1, 1])('stores nothing of a file whose size is %d off', async (error) => {
      const key = newKey();
      const file = await fileOf(randomBytes(100));
      await expect(store.put(key, { ...file, bytes: file.bytes + error }, CSV)).rejects.toThrow(WrongSizeError);
      expect(await store.stat(key)).toBeUndefined();
    });

    it('stores nothing when aborted before', async () => {
      const key = newKey();
      const reason = new Error('the client hung up');
      await expect(store.put(key, Buffer.from('x'), { ...CSV, signal: AbortSignal.abort(reason) })).rejects.toBe(
        reason,
      );
      expect(await store.stat(key)).toBeUndefined();
    });

    it('ends a read when its signal fires', async () => {
      const key = newKey();
      await store.put(key, await fileOf(randomBytes(8 * 1024 * 1024)), CSV);
      const abort = new AbortController();
      const stream = await store.get(key, { signal: abort.signal });
      abort.abort(new Error('enough'));
      await expect(buffer(stream)).rejects.toThrow(/abort|premature/i);
    });

    it.each([
      'imports/../../../etc/passwd',
      `imports/${randomUUID()}/${randomUUID()}/..`,
      `imports/${randomUUID()}/${randomUUID()}/a/b`,
      `secrets/${randomUUID()}/${randomUUID()}/a.csv`,
      `/imports/${randomUUID()}/${randomUUID()}/a.csv`,
      `imports/${randomUUID()}/${randomUUID()}/a.csv\n`,
      `imports/${randomUUID()}/${randomUUID()}/${'a'.repeat(201)}`,
      `checkpoints/${randomUUID()}/05.txt`,
      `checkpoints/${randomUUID()}/oldest.txt`,
      `checkpoints/${randomUUID()}/${randomUUID()}/5.txt`,
      '',
    ])('refuses a key out of an untrusted message: %j', async (key) => {
      const link = { expiresInSeconds: 60, fileName: 'a', contentType: 'text/csv' };
      await expect(store.put(key, Buffer.from('x'), CSV)).rejects.toThrow('Not an object key');
      await expect(store.get(key)).rejects.toThrow('Not an object key');
      await expect(store.stat(key)).rejects.toThrow('Not an object key');
      await expect(store.remove(key)).rejects.toThrow('Not an object key');
      await expect(store.presign(key, link)).rejects.toThrow('Not an object key');
    });

    it('presigns a link that needs no credentials and says how to save the file', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('date,channel\n'), { contentType: 'application/octet-stream' });
      const url = await store.presign(key, {
        expiresInSeconds: 300,
        fileName: 'Übersicht "1".csv',
        contentType: CSV.contentType,
      });
      const { status, headers, body } = await made.download(url);
      expect(status).toBe(200);
      expect(body.toString()).toBe('date,channel\n');
      expect(headers.get('content-type')).toBe(CSV.contentType);
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="_bersicht__1_.csv"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.csv`,
      );
      expect(headers.get('cache-control')).toBe('private, no-store');
    });

    it('serves a range of a presigned link', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('0123456789'), CSV);
      const url = await store.presign(key, { expiresInSeconds: 300, fileName: 'a.csv', contentType: 'text/csv' });
      const { status, headers, body } = await made.download(url, { range: 'bytes=2-4' });
      expect([status, headers.get('content-range'), body.toString()]).toEqual([206, 'bytes 2-4/10', '234']);
    });

    it('serves nothing under a link that was changed', async () => {
      const [key, other] = [newKey(), newKey()];
      await store.put(key, Buffer.from('mine'), CSV);
      await store.put(other, Buffer.from('not mine'), CSV);
      const url = await store.presign(key, { expiresInSeconds: 300, fileName: 'a.csv', contentType: 'text/csv' });
      for (const changed of [
        url.replace(key, other),
        url.replace('a.csv', 'b.csv').replace(key.replace('costs.csv', 'b.csv'), key),
        url.replace(/.$/, '_'),
      ]) {
        if (changed === url) continue;
        const { status, body } = await made.download(changed);
        expect([403, 404]).toContain(status);
        expect(body.toString()).not.toContain('mine');
      }
    });

    it('takes twenty puts at once', async () => {
      const content = randomBytes(6 * 1024 * 1024);
      const file = await fileOf(content);
      const keys = Array.from({ length: 20 }, () => newKey());
      await Promise.all(keys.map((key) => store.put(key, file, CSV)));
      const sizes = await Promise.all(keys.map((key) => store.stat(key)));
      expect(sizes).toEqual(keys.map(() => ({ bytes: content.length })));
    });

    it('is healthy, and can be prepared again', async () => {
      await store.prepare();
      await expect(store.check()).resolves.toBeUndefined();
    });
  });
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
