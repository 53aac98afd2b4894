import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DependencyAwayError, isDependencyAway } from '#runtime/dependency-away.js';
import { CSV, failureOf, faultCases, MIB, newKey } from '../testing/fault-cases.js';
import { dying, refusing, silent, wellBehaved } from '../testing/fault-server.js';
import { GrowingFile } from './growing-file.js';
import { WrongSizeError } from './object-store.js';

const { directory, fileOf, storeOver } = faultCases();

describe('a put of a file', () => {
  it('goes in parts of 5 MiB, with the content type it was told and not the one of the name', async () => {
    const { server, store } = await storeOver({});
    await store.put(newKey(), fileOf(12 * MIB), CSV);
    expect(server.operations()).toEqual(['start', 'part', 'part', 'part', 'complete']);
    expect(server.seen[0]?.headers['content-type']).toBe('text/csv');
    const sizes = server.seen.slice(1, 4).map(({ headers }) => Number(headers['content-length']));
    // Parts may overtake each other.
    expect(sizes.sort((a, b) => b - a)).toEqual([5 * MIB, 5 * MIB, 2 * MIB]);
  });

  it('has two parts on their way at once, and no more', async () => {
    let [now, most] = [0, 0];
    const { store } = await storeOver({
      part: (request, response) => {
        most = Math.max(most, ++now);
        setTimeout(() => {
          now--;
          wellBehaved('part', request, response);
        }, 50);
      },
    });
    await store.put(newKey(), fileOf(22 * MIB), CSV);
    expect(most).toBe(2);
  });

  it('is one request when it fits a part', async () => {
    const { server, store } = await storeOver({});
    await store.put(newKey(), fileOf(5 * MIB), CSV);
    expect(server.operations()).toEqual(['put']);
    expect(server.seen[0]?.headers['content-type']).toBe('text/csv');
  });

  it('never continues an unfinished upload of the same key: it does not even look for one', async () => {
    const { server, store } = await storeOver({});
    const key = newKey();
    const file = fileOf(6 * MIB);
    await Promise.all([store.put(key, file, CSV), store.put(key, file, CSV)]);
    expect(server.count('start')).toBe(2);
    expect(server.count('other')).toBe(0);
  });

  it('abandons the upload when a part is refused', async () => {
    const { server, store } = await storeOver({ part: refusing(403, 'AccessDenied') });
    const failure = await failureOf(store.put(newKey(), fileOf(6 * MIB), CSV));
    expect(isDependencyAway(failure)).toBe(false);
    expect(server.operations()).toEqual(['start', 'part', 'part', 'abort']);
    expect(server.seen[3]?.url).toContain('uploadId=upload-1');
  });

  it.each([500, 503, 429, 507])('tries a part again after %d', async (status) => {
    // On a busy machine a part may take long; here only a refusal shall bring a further attempt.
    const { server, store } = await storeOver(
      {
        part: (request, response, attempt) => {
          if (attempt === 1) refusing(status, 'SlowDown')(request, response, attempt);
          else wellBehaved('part', request, response);
        },
      },
      { S3_TIMEOUT_MS: 30_000 },
    );
    await store.put(newKey(), fileOf(6 * MIB), CSV);
    expect(server.operations()).toEqual(['start', 'part', 'part', 'part', 'complete']);
  });

  it('gives up after three attempts; the store counts as away', async () => {
    const { server, store } = await storeOver({ part: refusing(503, 'SlowDown') });
    const failure = await failureOf(store.put(newKey(), fileOf(6 * MIB), CSV));
    expect(failure).toBeInstanceOf(DependencyAwayError);
    expect(failure.message).toContain('503');
    expect(server.operations()).toEqual(['start', ...Array<string>(6).fill('part'), 'abort']);
  });

  it.each([
    ['goes silent', silent],
    ['dies in the middle', dying],
  ])('settles when the server %s', async (_, fault) => {
    const { server, store } = await storeOver({ part: fault });
    const started = Date.now();
    const failure = await failureOf(store.put(newKey(), fileOf(12 * MIB), CSV));
    expect(isDependencyAway(failure)).toBe(true);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(server.operations().at(-1)).toBe('abort');
  });

  it.each(['start', 'complete', 'put'] as const)('settles when the server is silent at: %s', async (operation) => {
    const { store } = await storeOver({ [operation]: silent });
    const failure = await failureOf(store.put(newKey(), fileOf(operation === 'put' ? MIB : 6 * MIB), CSV));
    expect(isDependencyAway(failure)).toBe(true);
  });

  it('settles when not even the clean-up is answered', async () => {
    const { store } = await storeOver({ part: refusing(403, 'AccessDenied'), abort: silent });
    await failureOf(store.put(newKey(), fileOf(6 * MIB), CSV));
  });

  it('ends at its deadline when the server dribbles, never silent for long enough', async () => {
    const { store } = await storeOver(
      {
        part: (request, response) => {
          request.resume().on('end', () => {
            response.writeHead(200);
            const dribble = setInterval(() => response.write(' '), 50);
            response.on('close', () => {
              clearInterval(dribble);
            });
          });
        },
      },
      { S3_PUT_DEADLINE_MS: 1000 },
    );
    const started = Date.now();
    const failure = await failureOf(store.put(newKey(), fileOf(6 * MIB), CSV));
    // A second, and one more for each MB.
    expect(failure.message).toContain('did not finish within 7292 ms');
    expect(isDependencyAway(failure)).toBe(true);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('ends with the reason of its signal, and abandons the upload', async () => {
    const { server, store } = await storeOver({ part: silent });
    const abort = new AbortController();
    const put = failureOf(store.put(newKey(), fileOf(6 * MIB), { ...CSV, signal: abort.signal }));
    while (server.count('part') < 2) await delay(5);
    const reason = new Error('the client hung up');
    abort.abort(reason);
    expect(await put).toBe(reason);
    expect(server.operations()).toEqual(['start', 'part', 'part', 'abort']);
  });

  it('fails when its file dies on the way', async () => {
    const file = fileOf(12 * MIB);
    const { server, store } = await storeOver({
      part: (request, response) => {
        truncateSync(file.path, 6 * MIB);
        wellBehaved('part', request, response);
      },
    });
    expect(await failureOf(store.put(newKey(), file, CSV))).toBeInstanceOf(WrongSizeError);
    expect(server.operations()).toEqual(['start', 'part', 'part', 'abort']);
  });

  it('asks nothing of the server when the file is not there', async () => {
    const { server, store } = await storeOver({});
    await expect(store.put(newKey(), { path: join(directory, 'none'), bytes: 1 }, CSV)).rejects.toThrow('ENOENT');
    expect(server.seen).toEqual([]);
  });

  it('tries again when the server answers 200 and means an error', async () => {
    const { server, store } = await storeOver({
      complete: (request, response, attempt) => {
        if (attempt === 1) refusing(200, 'InternalError')(request, response, attempt);
        else wellBehaved('complete', request, response);
      },
    });
    await store.put(newKey(), fileOf(6 * MIB), CSV);
    expect(server.count('complete')).toBe(2);
  });

  it('has succeeded when only the answer to the last request was lost', async () => {
    const { store } = await storeOver({
      complete: (request, response, attempt) => {
        if (attempt === 1) request.resume().on('end', () => request.socket.destroy());
        else refusing(404, 'NoSuchUpload')(request, response, attempt);
      },
      stat: (_request, response) => response.writeHead(200, { 'content-length': 6 * MIB }).end(),
    });
    await store.put(newKey(), fileOf(6 * MIB), CSV);
  });

  it('waits for its turn: two files at a time, and an aborted one gives up its place', async () => {
    let running = 0;
    let most = 0;
    const { store } = await storeOver({
      put: (request, response) => {
        most = Math.max(most, ++running);
        request.resume().on('end', () =>
          setTimeout(() => {
            running--;
            response.end();
          }, 20),
        );
      },
    });
    const abort = new AbortController();
    const puts = Array.from({ length: 8 }, () => store.put(newKey(), fileOf(1000), CSV));
    const late = failureOf(store.put(newKey(), fileOf(1000), { ...CSV, signal: abort.signal }));
    abort.abort(new Error('no longer wanted'));
    expect((await late).message).toBe('no longer wanted');
    await Promise.all(puts);
    expect(most).toBe(2);
  });
});

describe('a put of a file that grows', () => {
  /** Of `bytes` on the disk, of which none is announced. */
  const growing = (bytes: number): GrowingFile => new GrowingFile(fileOf(bytes).path);
  const settled = async (until: () => boolean): Promise<void> => {
    while (!until()) await delay(5);
  };

  it('sends parts as they come, and the rest with its end', async () => {
    const { server, store } = await storeOver({});
    const file = growing(23 * MIB);
    const put = store.put(newKey(), file, CSV);
    file.grow(10 * MIB);
    await delay(50);
    expect(server.operations()).toEqual([]);
    file.grow(6 * MIB);
    await settled(() => server.count('part') === 3);
    file.grow(7 * MIB);
    file.end();
    await put;
    expect(server.operations()).toEqual(['start', 'part', 'part', 'part', 'part', 'part', 'complete']);
    const sizes = server.seen.slice(1, 6).map(({ headers }) => Number(headers['content-length']));
    // The last two may overtake each other.
    expect(sizes.sort((a, b) => b - a)).toEqual([5, 5, 5, 5, 3].map((size) => size * MIB));
  });

  it('is an ordinary put when it is whole before it is large', async () => {
    const { server, store } = await storeOver({});
    const file = growing(5 * MIB);
    file.grow(5 * MIB);
    const put = store.put(newKey(), file, CSV);
    file.end();
    await put;
    expect(server.operations()).toEqual(['put']);
  });

  it.each([
    [
      'it breaks',
      (file: GrowingFile, reason: Error) => {
        file.break(reason);
      },
    ],
    [
      'its signal fires',
      (_: GrowingFile, reason: Error, abort: AbortController) => {
        abort.abort(reason);
      },
    ],
  ])('abandons the upload when %s', async (_, end) => {
    const { server, store } = await storeOver({});
    const file = growing(23 * MIB);
    const abort = new AbortController();
    const put = failureOf(store.put(newKey(), file, { ...CSV, signal: abort.signal }));
    file.grow(16 * MIB);
    await settled(() => server.count('part') === 3);
    await delay(50);
    const reason = new Error('the query failed');
    end(file, reason, abort);
    expect(await put).toBe(reason);
    expect(server.operations()).toEqual(['start', 'part', 'part', 'part', 'abort']);
  });

  it('fails when the store goes away, without waiting for the end of the file', async () => {
    const { server, store } = await storeOver({ part: refusing(503, 'SlowDown') });
    const file = growing(23 * MIB);
    file.grow(16 * MIB);
    expect(isDependencyAway(await failureOf(store.put(newKey(), file, CSV)))).toBe(true);
    expect(server.operations().at(-1)).toBe('abort');
  });

  it('holds up nobody and has no deadline while it waits for more', async () => {
    const { server, store } = await storeOver({}, { S3_CONCURRENT_PUTS: 1, S3_PUT_DEADLINE_MS: 1000 });
    const file = growing(23 * MIB);
    const put = store.put(newKey(), file, CSV);
    file.grow(11 * MIB);
    await settled(() => server.count('part') === 2);
    await store.put(newKey(), fileOf(6 * MIB), CSV);
    await delay(1500);
    file.grow(12 * MIB);
    file.end();
    await put;
    expect(server.count('complete')).toBe(2);
  });
});
