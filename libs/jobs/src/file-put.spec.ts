import { describe, expect, it } from '@jest/globals';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { GrowingFile } from '#storage/growing-file.js';
import type { ObjectStore } from '#storage/object-store.js';
import { FilePut } from './file-put.js';

const KEY = 'key';
const WHOLE = { path: 'path', bytes: 1 };

/** Answers each put as told, then well; tells what it was given. */
function storeOf(...answers: (Error | undefined)[]) {
  const bodies: unknown[] = [];
  const put = (key: string, body: unknown): Promise<void> => {
    expect(key).toBe(KEY);
    bodies.push(body);
    const failure = answers.shift();
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  };
  return { bodies, objects: { put } as unknown as ObjectStore };
}

function putInto(objects: ObjectStore) {
  const { signal } = new AbortController();
  return new FilePut(objects, KEY, { contentType: 'text/csv', signal });
}

describe('a file on its way into the object storage', () => {
  it('is put as a whole when it was not begun', async () => {
    const { objects, bodies } = storeOf();
    await putInto(objects).finish(WHOLE);
    expect(bodies).toEqual([WHOLE]);
  });

  it('is put once when the storage took it while it grew', async () => {
    const { objects, bodies } = storeOf();
    const put = putInto(objects);
    const file = new GrowingFile('path');
    put.begin(file);
    await put.finish(WHOLE);
    expect(bodies).toEqual([file]);
  });

  it('is put again as a whole when the storage went away meanwhile, as often as it takes', async () => {
    const away = new DependencyAwayError('away');
    const { objects, bodies } = storeOf(away, away);
    const put = putInto(objects);
    const file = new GrowingFile('path');
    put.begin(file);
    await put.finish(WHOLE);
    expect(bodies).toEqual([file, WHOLE, WHOLE]);
  });

  it('fails when the storage refuses it', async () => {
    const refused = new Error('AccessDenied');
    const { objects } = storeOf(refused, refused);
    const put = putInto(objects);
    put.begin(new GrowingFile('path'));
    await expect(put.finish(WHOLE)).rejects.toBe(refused);
  });

  it('may break: what was begun ends with it', async () => {
    const { objects, bodies } = storeOf(new Error('the query failed'));
    const put = putInto(objects);
    put.begin(new GrowingFile('path'));
    await put.settled();
    expect(bodies).toHaveLength(1);
  });
});
