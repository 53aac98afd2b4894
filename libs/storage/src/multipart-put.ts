import { open, type FileHandle } from 'node:fs/promises';
import type { GrowingFile } from './growing-file.js';
import { MultipartUpload, type ObjectPlace } from './multipart-upload.js';
import { WrongSizeError, type FinishedFile } from './object-store.js';
import { retrying } from './s3.connection.js';

/** The smallest part S3 allows. */
export const PART_BYTES = 5 * 1024 * 1024;
const MOST_PARTS = 10_000;

/** With two of them the store works on one part while the next is read, hashed and sent. */
export const PARTS_AT_ONCE = 2;
export const BYTES_AT_ONCE = PARTS_AT_ONCE * PART_BYTES;

/** The size is not known at the beginning: parts of a thousandth of what is there reach far beyond what S3 stores. */
const PARTS_BEFORE_LARGER = 1_000;

/** Some work on the store: when it must end, and pieces of PART_BYTES for its use: so many parts are on their way at once. */
export interface Turn {
  ends: AbortSignal;
  memory: readonly Buffer[];
}

/** Does the work when it is its turn. @param bytes that it is to put: it gets the time for these */
export type TakeTurn = <T>(bytes: number, work: (turn: Turn) => Promise<T>) => Promise<T>;

/** Puts what is in memory, by one request. */
export async function putWhole(place: ObjectPlace, body: Buffer, ends: AbortSignal): Promise<void> {
  const { connection, bucket, key, contentType } = place;
  const client = connection.client(ends);
  await retrying(ends, () => client.putObject(bucket, key, body, body.length, { 'Content-Type': contentType }));
}

/**
 * Puts a file part by part, out of a few pieces of memory. Client.putObject() of a stream holds three parts at a time, hangs
 * when the stream dies, and continues an unfinished upload of the same key, so that two writers mix their parts.
 *
 * @throws WrongSizeError when the file is not of the declared size; nothing is stored then
 */
export async function putFile(place: ObjectPlace, file: FinishedFile, { ends, memory }: Turn): Promise<void> {
  const handle = await open(file.path, 'r');
  try {
    const { size } = await handle.stat();
    if (size !== file.bytes) throw new WrongSizeError(file.bytes, size);
    const [piece] = memory;
    if (piece !== undefined && file.bytes <= piece.length) {
      await putWhole(place, await readExactly(handle, piece.subarray(0, file.bytes), 0), ends);
      return;
    }
    const upload = await MultipartUpload.begin(place, ends);
    await upload.orAbandon(async () => {
      const partBytes = Math.max(PART_BYTES, Math.ceil(file.bytes / MOST_PARTS));
      await putParts(upload, handle, partsOf(0, file.bytes, partBytes), { ends, memory });
      await upload.complete(file.bytes, ends);
    });
  } finally {
    await handle.close();
  }
}

/**
 * Puts a file of more than BYTES_AT_ONCE while it grows: whenever parts of it are there, they are put in a turn. While it
 * waits for more it holds no memory and no turn.
 */
export async function putGrowing(
  place: ObjectPlace,
  file: GrowingFile,
  takeTurn: TakeTurn,
  signal: AbortSignal | undefined,
): Promise<void> {
  const handle = await open(file.path, 'r');
  try {
    const upload = await takeTurn(0, ({ ends }) => MultipartUpload.begin(place, ends));
    await upload.orAbandon(async () => {
      let from = 0;
      for (let isWhole = false; !isWhole;) {
        const partBytes = Math.max(PART_BYTES, Math.ceil(from / PARTS_BEFORE_LARGER));
        const there = await file.reach(from + PARTS_AT_ONCE * partBytes, signal);
        ({ isWhole } = there);
        const until = isWhole ? there.bytes : there.bytes - ((there.bytes - from) % partBytes);
        const parts = partsOf(from, until, partBytes);
        await takeTurn(until - from, (turn) => putParts(upload, handle, parts, turn));
        from = until;
      }
      await takeTurn(0, ({ ends }) => upload.complete(from, ends));
    });
  } finally {
    await handle.close();
  }
}

interface Part {
  from: number;
  bytes: number;
}

function partsOf(from: number, until: number, partBytes: number): Part[] {
  return Array.from({ length: Math.ceil((until - from) / partBytes) }, (_, index) => {
    const start = from + index * partBytes;
    return { from: start, bytes: Math.min(partBytes, until - start) };
  });
}

/** Puts the parts that follow those which the upload has. */
async function putParts(
  upload: MultipartUpload,
  handle: FileHandle,
  parts: readonly Part[],
  { ends, memory }: Turn,
): Promise<void> {
  const first = upload.parts + 1;
  await eachWith(memory, parts, async (piece, { from, bytes }, index) => {
    const into = bytes > piece.length ? Buffer.allocUnsafeSlow(bytes) : piece.subarray(0, bytes);
    await upload.put(first + index, await readExactly(handle, into, from), ends);
  });
}

/**
 * Works on all items, each time with a tool that is free. After a failure no item is begun any more; it settles when
 * every tool is free again.
 */
async function eachWith<Tool, Item>(
  tools: readonly Tool[],
  items: readonly Item[],
  work: (tool: Tool, item: Item, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  let failed = false;
  const results = await Promise.allSettled(
    tools.map(async (tool) => {
      for (const [index, item] of left) {
        if (failed) return;
        await work(tool, item, index).catch((error: unknown) => {
          failed = true;
          throw error;
        });
      }
    }),
  );
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

async function readExactly(handle: FileHandle, memory: Buffer, position: number): Promise<Buffer> {
  for (let read = 0; read < memory.length;) {
    const { bytesRead } = await handle.read(memory, read, memory.length - read, position + read);
    if (bytesRead === 0) throw new WrongSizeError(position + memory.length, position + read);
    read += bytesRead;
  }
  return memory;
}
