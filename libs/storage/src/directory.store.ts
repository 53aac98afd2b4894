import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';

import { DependencyAwayError } from '#runtime/dependency-away.js';
import { downloadLink, linkSecret } from './download-link.js';
import { GrowingFile } from './growing-file.js';
import {
  assertObjectKey,
  assertRange,
  ObjectNotFoundError,
  ObjectStore,
  RangeOutsideError,
  WrongSizeError,
  type FinishedFile,
  type GetOptions,
  type ObjectBody,
  type PresignOptions,
  type PutOptions,
} from './object-store.js';
import type { StorageConfig } from './storage.config.js';
import { privateDirectory, removeLeftovers, temporaryPath } from './temporary-file.js';

const ONE_DAY_MS = 24 * 3_600_000;
const READ_BYTES = 256 * 1024;
/** No rights, read-only, full, broken, or a file in its place: what is put can come later, as with a server that is away. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'ENOTDIR']);

/** Objects as files of a local directory, for one machine. Downloads go through the gateway, by signed links. */
export class DirectoryStore extends ObjectStore {
  private readonly root: string;
  private readonly temporary: string;
  private secret: Promise<Buffer> | undefined;

  constructor(private readonly config: StorageConfig) {
    super();
    this.root = resolve(config.STORAGE_DIRECTORY);
    this.temporary = join(this.root, '.tmp');
  }

  async put(key: string, given: ObjectBody | GrowingFile, { signal }: PutOptions): Promise<void> {
    const path = this.pathOf(key);
    signal?.throwIfAborted();
    const body = given instanceof GrowingFile ? await finished(given, signal) : given;
    await this.write(path, body, signal).catch((error: unknown) => {
      if (!UNWRITABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      throw new DependencyAwayError('The directory of the objects cannot be written right now.', { cause: error });
    });
  }

  async get(key: string, options: GetOptions = {}): Promise<Readable> {
    const path = this.pathOf(key);
    assertRange(options);
    const { from = 0, to, signal } = options;
    signal?.throwIfAborted();
    const handle = await open(path, 'r').catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await this.assertThere();
      throw new ObjectNotFoundError(key);
    });
    try {
      const { size } = await handle.stat();
      if (size === 0 && to === undefined && from === 0) {
        await handle.close();
        return Readable.from([]);
      }
      if (from >= size) throw new RangeOutsideError(key);
      const end = Math.min(to ?? size - 1, size - 1);
      return handle.createReadStream({ start: from, end, signal, highWaterMark: READ_BYTES });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async stat(key: string): Promise<{ bytes: number } | undefined> {
    try {
      return { bytes: (await stat(this.pathOf(key))).size };
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.assertThere();
      return undefined;
    }
  }

  async remove(key: string): Promise<void> {
    const path = this.pathOf(key);
    await rm(path, { force: true });
    await removeEmptyParents(path);
  }

  async presign(key: string, options: PresignOptions): Promise<string> {
    assertObjectKey(key);
    return downloadLink(this.config.BASE_URL, await this.linkSecret(), key, options);
  }

  /** The secret that signs download links. */
  linkSecret(): Promise<Buffer> {
    this.secret ??= privateDirectory(this.temporary)
      .then(() => linkSecret(this.root))
      .catch((error: unknown) => {
        this.secret = undefined;
        throw error;
      });
    return this.secret;
  }

  async check(): Promise<void> {
    await this.assertThere();
    // Who has put an empty directory in the place of a lost one need not know that there is another inside.
    await privateDirectory(this.temporary);
    const probe = temporaryPath(this.temporary);
    await (await open(probe, 'wx', 0o600)).close();
    await rm(probe);
  }

  async prepare(): Promise<void> {
    await privateDirectory(this.root);
    await removeLeftovers(this.temporary);
    await this.linkSecret();
  }

  async expire(now: Date): Promise<number> {
    const { STORAGE_EXPORT_DAYS, STORAGE_IMPORT_DAYS } = this.config;
    const exports = await this.removeOlder('exports', now.getTime() - STORAGE_EXPORT_DAYS * ONE_DAY_MS);
    const imports = await this.removeOlder('imports', now.getTime() - STORAGE_IMPORT_DAYS * ONE_DAY_MS);
    return exports + imports;
  }

  /** While the directory itself is away, as before it is mounted again, nothing can be said of its objects. */
  private async assertThere(): Promise<void> {
    const found = await stat(this.root).catch(() => undefined);
    if (found?.isDirectory() !== true) throw new DependencyAwayError(`There is no directory ${this.root}.`);
  }

  private async write(path: string, body: ObjectBody, signal: AbortSignal | undefined): Promise<void> {
    await privateDirectory(this.temporary);
    const draft = temporaryPath(this.temporary);
    try {
      await writeDurably(draft, body, signal);
      signal?.throwIfAborted();
      await this.moveInto(path, draft);
    } finally {
      await rm(draft, { force: true });
    }
  }

  private pathOf(key: string): string {
    assertObjectKey(key);
    return join(this.root, ...key.split('/'));
  }

  private async moveInto(path: string, draft: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await rename(draft, path);
        break;
      } catch (error) {
        // Between mkdir and rename, expire() or remove() may have taken the empty directory away.
        if (attempt === 3 || !isMissing(error)) throw error;
      }
    }
    for (let directory = dirname(path); directory.length >= this.root.length; directory = dirname(directory))
      await syncDirectory(directory);
  }

  private async removeOlder(kind: 'imports' | 'exports', before: number): Promise<number> {
    const kindRoot = join(this.root, kind);
    const entries = await readdir(kindRoot, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    let removed = 0;
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const written = (await stat(path).catch(() => undefined))?.mtimeMs;
      if (written === undefined || written >= before) continue;
      await rm(path, { force: true });
      await removeEmptyParents(path);
      removed++;
    }
    return removed;
  }
}

async function finished(file: GrowingFile, signal: AbortSignal | undefined): Promise<FinishedFile> {
  const { bytes } = await file.reach(Infinity, signal);
  return { path: file.path, bytes };
}

/** Content and size are on the disk when this settles well. */
async function writeDurably(draft: string, body: ObjectBody, signal: AbortSignal | undefined): Promise<void> {
  if (!Buffer.isBuffer(body)) await linkOrCopy(body.path, draft);
  const handle = await open(draft, Buffer.isBuffer(body) ? 'wx' : 'r+', 0o600);
  try {
    if (Buffer.isBuffer(body)) await handle.writeFile(body, { signal });
    await handle.chmod(0o600);
    const { size } = await handle.stat();
    const declared = Buffer.isBuffer(body) ? body.length : body.bytes;
    if (size !== declared) throw new WrongSizeError(declared, size);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A second name for the same bytes, which nobody changes any more; a copy where there can be none, as on another disk. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  const linked =
    (await lstat(from)).isFile() &&
    (await link(from, to).then(
      () => true,
      () => false,
    ));
  if (!linked) await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

/** A new name is only durable when its directory is; Windows can't open one, and does not need it. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The directories of the id and of the asset, if this object was their last. */
async function removeEmptyParents(path: string): Promise<void> {
  try {
    await rmdir(dirname(path));
    await rmdir(dirname(dirname(path)));
  } catch {
    // Not empty, or gone already.
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
