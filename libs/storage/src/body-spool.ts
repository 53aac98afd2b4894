import { createHash, type Hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BlockFile } from './block-file.js';
import { GrowingFile } from './growing-file.js';
import type { ObjectBody } from './object-store.js';
import { privateDirectory, removeLeftovers, temporaryPath } from './temporary-file.js';

const ONE_MIB = 1024 * 1024;

export interface SpoolOptions {
  /** The largest body allowed; one byte more is refused at once. Absent: any size. */
  maxBytes?: number;
  /** Up to this many bytes stay in memory, larger bodies go into a file. Default 1 MiB. */
  memoryBytes?: number;
  /** Where the file goes; made when it is missing, readable by nobody else. */
  directory: string;
  /** Is given the file of a larger body, to be read while it grows. */
  onFile?: (file: GrowingFile) => void;
  signal?: AbortSignal;
}

export interface SpooledBody {
  bytes: number;
  /** Of all bytes, in hex. */
  sha256: string;
  body: ObjectBody;
  /** Removes the file, if there is one. Call it in `finally`; twice is no error. */
  discard(): Promise<void>;
}

/** The body has more than the allowed bytes. */
export class BodyTooLargeError extends Error {
  constructor(readonly maxBytes: number) {
    super(`The body has more than ${maxBytes} bytes.`);
    this.name = 'BodyTooLargeError';
  }
}

/**
 * Takes in a body while it arrives, counting and hashing it. The next chunk is asked for when the last has been
 * written, so a fast sender waits for a slow disk. On any error, and when `signal` fires, the file is removed. A source
 * that is a generator is closed then; one that is a stream is left to its owner, to be answered and destroyed.
 *
 * @throws BodyTooLargeError · the source's own error · the signal's reason
 */
export async function spoolBody(source: AsyncIterable<Buffer>, options: SpoolOptions): Promise<SpooledBody> {
  const { maxBytes = Infinity, memoryBytes = ONE_MIB, directory, onFile, signal } = options;
  const spool = new Spool(memoryBytes, directory, onFile);
  try {
    for await (const chunk of untilAborted(source, signal)) {
      if (spool.bytes + chunk.length > maxBytes) throw new BodyTooLargeError(maxBytes);
      await spool.add(chunk);
    }
    return await spool.finish();
  } catch (error) {
    await spool.discard(error);
    throw error;
  }
}

/** Removes what processes that are gone have left in the directory; call it at start. Returns how many files. */
export function cleanSpoolDirectory(directory: string): Promise<number> {
  return removeLeftovers(directory);
}

class Spool {
  bytes = 0;
  private readonly hash: Hash = createHash('sha256');
  private readonly growing: GrowingFile;
  private file: BlockFile | undefined;
  /** Copies, never the chunks themselves: a chunk may be a slice that keeps a much larger buffer alive. */
  private memory: Buffer = Buffer.alloc(0);
  private filled = 0;

  constructor(
    private readonly memoryBytes: number,
    private readonly directory: string,
    private readonly onFile: SpoolOptions['onFile'],
  ) {
    this.growing = new GrowingFile(temporaryPath(directory));
  }

  async add(chunk: Buffer): Promise<void> {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    if (this.file === undefined && this.bytes <= this.memoryBytes) this.keep(chunk);
    else await (this.file ?? (await this.toFile())).add(chunk);
  }

  async finish(): Promise<SpooledBody> {
    const { file, bytes } = this;
    const { path } = this.growing;
    const sha256 = this.hash.digest('hex');
    const discard = (): Promise<void> => rm(path, { force: true });
    if (file === undefined) return { bytes, sha256, body: this.memory.subarray(0, this.filled), discard };
    await file.finish();
    this.file = undefined;
    this.growing.end();
    return { bytes, sha256, body: { path, bytes }, discard };
  }

  async discard(reason: unknown): Promise<void> {
    const { file } = this;
    if (file === undefined) return;
    this.file = undefined;
    this.growing.break(reason);
    await file.abandon();
    await rm(this.growing.path, { force: true });
  }

  /** Grows by doubling, so a body of a kilobyte costs no more than that. */
  private keep(chunk: Buffer): void {
    if (this.filled + chunk.length > this.memory.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(this.memoryBytes, Math.max(4096, 2 * (this.filled + chunk.length))),
      );
      this.memory.copy(larger, 0, 0, this.filled);
      this.memory = larger;
    }
    this.filled += chunk.copy(this.memory, this.filled);
  }

  private async toFile(): Promise<BlockFile> {
    await privateDirectory(this.directory);
    const file = await BlockFile.create(this.growing.path, (bytes) => {
      this.growing.grow(bytes);
    });
    this.file = file;
    await file.add(this.memory.subarray(0, this.filled));
    this.memory = Buffer.alloc(0);
    this.filled = 0;
    this.onFile?.(this.growing);
    return file;
  }
}

/** The chunks of `source`, ending with the signal's reason as soon as it fires, also while none arrives. */
async function* untilAborted(source: AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const chunks = iteratorOf(source);
  let fail: ((reason: unknown) => void) | undefined;
  const abort = (): void => fail?.(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Promise.race() against one promise of the abort would keep every chunk alive until the end.
      const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        fail = reject;
        chunks.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    // Not awaited: a generator that waits for its next chunk answers return() only when that has come.
    chunks.return?.().catch(() => undefined);
  }
}

/** A stream stays open, it is its owner's: destroying a request would cut off the answer that refuses it. */
function iteratorOf(source: AsyncIterable<Buffer>): AsyncIterator<Buffer> {
  return source instanceof Readable
    ? (source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>)
    : source[Symbol.asyncIterator]();
}
