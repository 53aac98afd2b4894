import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { describeObjectStore } from '../testing/object-store.suite.js';
import { downloadServer } from '../testing/download-server.js';
import { DirectoryStore } from './directory.store.js';
import { checkpointKey, objectKey } from './object-store.js';
import { StorageConfig } from './storage.config.js';

const CSV = { contentType: 'text/csv' };
const ONE_DAY_MS = 24 * 3_600_000;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'directory-store-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const configOf = (directory: string): StorageConfig =>
  Object.assign(new StorageConfig(), { STORAGE_DIRECTORY: directory });
const newKey = (kind: 'imports' | 'exports' = 'imports'): string =>
  objectKey(kind, randomUUID(), randomUUID(), 'costs.csv');

describeObjectStore('a directory', async () => {
  const server = await downloadServer(configOf(join(root, 'suite')));
  return { store: server.store, download: server.download, end: server.end };
});

describe('the directory store', () => {
  it('shows an object whole or not at all, while it is put', async () => {
    const store = new DirectoryStore(configOf(join(root, 'atomic')));
    await store.prepare();
    const key = newKey();
    const path = join(root, 'source');
    const bytes = 40 * 1024 * 1024;
    await writeFile(path, randomBytes(bytes));
    const state = { done: false };
    const put = store.put(key, { path, bytes }, CSV).finally(() => (state.done = true));
    const sizes = new Set<number | undefined>();
    while (!state.done) sizes.add((await store.stat(key))?.bytes);
    await put;
    expect([...sizes].filter((size) => size !== undefined && size !== bytes)).toEqual([]);
    expect(await store.stat(key)).toEqual({ bytes });
  });

  it('leaves no temporary file behind, whether it went well or not', async () => {
    const directory = join(root, 'tidy');
    const store = new DirectoryStore(configOf(directory));
    await store.put(newKey(), Buffer.from('x'), CSV);
    await expect(store.put(newKey(), { path: join(root, 'none'), bytes: 1 }, CSV)).rejects.toThrow('ENOENT');
    const path = join(root, 'short');
    await writeFile(path, 'xy');
    await expect(store.put(newKey(), { path, bytes: 1 }, CSV)).rejects.toThrow('instead of');
    expect(await readdir(join(directory, '.tmp'))).toEqual([]);
  });

  it('takes a file over without copying it, and both can be removed on their own', async () => {
    const store = new DirectoryStore(configOf(join(root, 'taken-over')));
    const [first, second] = [newKey(), newKey()];
    const path = join(root, 'taken-over-source');
    await writeFile(path, 'a,b\n');
    await store.put(first, { path, bytes: 4 }, CSV);
    await store.put(second, { path, bytes: 4 }, CSV);
    expect((await stat(path)).ino).toBe((await stat(join(root, 'taken-over', first))).ino);
    await store.remove(first);
    expect(await readFile(path, 'utf8')).toBe('a,b\n');
    await rm(path);
    expect(await store.stat(second)).toEqual({ bytes: 4 });
  });

  it('copies what can only be reached by a symbolic link', async () => {
    const store = new DirectoryStore(configOf(join(root, 'copied')));
    const key = newKey();
    const target = join(root, 'link-target');
    await writeFile(target, 'a,b\n');
    await symlink(target, `${target}-link`);
    await store.put(key, { path: `${target}-link`, bytes: 4 }, CSV);
    await rm(target);
    expect(await readFile(join(root, 'copied', key), 'utf8')).toBe('a,b\n');
  });

  it('removes what a killed process left, and nothing of a living one', async () => {
    const directory = join(root, 'leftovers');
    await mkdir(join(directory, '.tmp'), { recursive: true });
    const gone = `4194305-${randomUUID()}.tmp`;
    const living = `${process.ppid}-${randomUUID()}.tmp`;
    for (const name of [gone, living, 'note.txt']) await writeFile(join(directory, '.tmp', name), 'x');
    await new DirectoryStore(configOf(directory)).prepare();
    expect((await readdir(join(directory, '.tmp'))).sort()).toEqual([living, 'note.txt'].sort());
  });

  it('keeps files to the user of the service', async () => {
    const directory = join(root, 'private');
    const store = new DirectoryStore(configOf(directory));
    await store.prepare();
    const source = join(root, 'readable');
    await writeFile(source, 'x');
    await chmod(source, 0o644);
    const key = newKey();
    await store.put(key, { path: source, bytes: 1 }, CSV);
    for (const path of [key, '.link-secret']) expect((await stat(join(directory, path))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('makes one secret for links, even when several processes start at once', async () => {
    const directory = join(root, 'secret');
    const stores = Array.from({ length: 8 }, () => new DirectoryStore(configOf(directory)));
    const secrets = await Promise.all(stores.map((store) => store.linkSecret()));
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1);
    expect(secrets[0]).toHaveLength(32);
    expect(await readFile(join(directory, '.link-secret'), 'utf8')).toBe(secrets[0]?.toString('hex'));
  });

  it('closes again a secret that others could read, and refuses one that is none', async () => {
    const directory = join(root, 'open-secret');
    await new DirectoryStore(configOf(directory)).prepare();
    const path = join(directory, '.link-secret');
    await chmod(path, 0o644);
    await new DirectoryStore(configOf(directory)).prepare();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, '');
    await expect(new DirectoryStore(configOf(directory)).prepare()).rejects.toThrow(
      'is not the secret of download links',
    );
  });

  it('says of no object that it is missing while the directory is, and goes on with an empty one', async () => {
    const directory = join(root, 'away');
    const store = new DirectoryStore(configOf(directory));
    await store.prepare();
    const key = newKey();
    await store.put(key, Buffer.from('x'), CSV);
    await rename(directory, `${directory}-elsewhere`);
    for (const asked of [store.stat(key), store.get(key), store.check()])
      await expect(asked).rejects.toBeInstanceOf(DependencyAwayError);
    await mkdir(directory);
    await store.check();
    expect(await store.stat(key)).toBeUndefined();
    await rm(directory, { recursive: true });
    await rename(`${directory}-elsewhere`, directory);
    expect(await store.stat(key)).toEqual({ bytes: 1 });
  });

  it('counts as away while nothing can be written into it', async () => {
    const directory = join(root, 'unwritable');
    const store = new DirectoryStore(configOf(directory));
    await store.prepare();
    await writeFile(join(directory, 'imports'), 'a file in the place of a directory');
    const key = newKey();
    await expect(store.put(key, Buffer.from('x'), CSV)).rejects.toBeInstanceOf(DependencyAwayError);
    await rm(join(directory, 'imports'));
    await store.put(key, Buffer.from('x'), CSV);
    expect(await store.stat(key)).toEqual({ bytes: 1 });
  });

  it('expires exports after 7 days and imports after 30, and the directories with them', async () => {
    const directory = join(root, 'expiry');
    const store = new DirectoryStore(configOf(directory));
    const now = new Date('2026-03-31T12:00:00Z');
    const put = async (kind: 'imports' | 'exports', days: number): Promise<string> => {
      const key = newKey(kind);
      await store.put(key, Buffer.from('x'), CSV);
      const written = new Date(now.getTime() - days * ONE_DAY_MS);
      await utimes(join(directory, key), written, written);
      return key;
    };
    const kept = [await put('exports', 6.9), await put('imports', 29.9)];
    const expired = [await put('exports', 7.1), await put('imports', 30.1)];
    expect(await store.expire(now)).toBe(2);
    for (const key of kept) expect(await store.stat(key)).toEqual({ bytes: 1 });
    for (const key of expired) {
      expect(await store.stat(key)).toBeUndefined();
      await expect(stat(dirname(dirname(join(directory, key))))).rejects.toThrow('ENOENT');
    }
    expect(await new DirectoryStore(configOf(join(root, 'nothing-yet'))).expire(now)).toBe(0);
  });

  it('never expires a checkpoint', async () => {
    const directory = join(root, 'checkpoints');
    const store = new DirectoryStore(configOf(directory));
    const key = checkpointKey(randomUUID(), 7);
    await store.put(key, Buffer.from('x'), CSV);
    expect(await store.expire(new Date(Date.now() + 10_000 * ONE_DAY_MS))).toBe(0);
    expect(await store.stat(key)).toEqual({ bytes: 1 });
  });

  it('does not lose a put to the removal of its empty directory', async () => {
    const store = new DirectoryStore(configOf(join(root, 'race')));
    const [asset, id] = [randomUUID(), randomUUID()];
    for (let round = 0; round < 30; round++) {
      const [stays, goes] = [objectKey('imports', asset, id, 'stays'), objectKey('imports', asset, id, 'goes')];
      await store.put(goes, Buffer.from('x'), CSV);
      await Promise.all([store.put(stays, Buffer.from('y'), CSV), store.remove(goes)]);
      expect(await store.stat(stays)).toEqual({ bytes: 1 });
      await store.remove(stays);
    }
  });

  it('says that it does not work when its directory is none', async () => {
    const file = join(root, 'a-file');
    await writeFile(file, '');
    await expect(new DirectoryStore(configOf(file)).check()).rejects.toThrow();
    const linked = join(root, 'linked');
    await mkdir(join(root, 'target'));
    await symlink(join(root, 'target'), linked);
    const store = new DirectoryStore(configOf(linked));
    await store.prepare();
    await store.check();
  });
});
