import { open, type FileHandle } from 'node:fs/promises';
import type { S3Connection } from './s3.connection.js';
import { retrying, within } from './s3.connection.js';
import { WrongSizeError } from './object-store.js';

/** The smallest part S3 allows. */
export const PART_BYTES = 5 * 1024 * 1024;
const MOST_PARTS = 10_000;
const CLEAN_UP_MS = 5_000;

export interface FilePut {
  connection: S3Connection;
  bucket: string;
  key: string;
  file: { path: string; bytes: number };
  contentType: string;
  signal: AbortSignal;
  /** Pieces of PART_BYTES that this put may use until it settles: so many parts are on their way at once. */
  memory: readonly Buffer[];
}

/** With two of them the store works on one part while the next is read, hashed and sent. */
export const PARTS_AT_ONCE = 2;

/**
 * Puts a file part by part, out of a few pieces of memory. Client.putObject() of a stream holds three parts at a time, hangs
 * when the stream dies, and continues an unfinished upload of the same key, so that two writers mix their parts.
 *
 * @throws WrongSizeError when the file is not of the declared size; nothing is stored then
 */
export async function putFile(put: FilePut): Promise<void> {
  const { file, memory } = put;
  const handle = await open(file.path, 'r');
  try {
    const { size } = await handle.stat();
    if (size !== file.bytes) throw new WrongSizeError(file.bytes, size);
    const [piece] = memory;
    if (piece !== undefined && file.bytes <= piece.length)
      await putWhole(put, await readExactly(handle, piece.subarray(0, file.bytes), 0));
    else await putParts(put, handle);
  } finally {
    await handle.close();
  }
}

async function putWhole({ connection, bucket, key, contentType, signal }: FilePut, body: Buffer): Promise<void> {
  const client = connection.client(signal);
  await retrying(signal, () => client.putObject(bucket, key, body, body.length, { 'Content-Type': contentType }));
}

async function putParts(put: FilePut, handle: FileHandle): Promise<void> {
  const { connection, bucket, key, file, contentType, signal } = put;
  const client = connection.client(signal);
  const uploadId = await retrying(signal, () =>
    client.initiateNewMultipartUpload(bucket, key, { 'Content-Type': contentType }),
  );
  try {
    const partBytes = partBytesFor(file.bytes);
    const starts = Array.from({ length: Math.ceil(file.bytes / partBytes) }, (_, index) => index * partBytes);
    const parts: { part: number; etag: string }[] = [];
    await eachWith(put.memory, starts, async (piece, from, index) => {
      const memory = partBytes === piece.length ? piece : Buffer.allocUnsafeSlow(partBytes);
      const bytes = await readExactly(handle, memory.subarray(0, Math.min(partBytes, file.bytes - from)), from);
      const partNumber = index + 1;
      const where = { bucketName: bucket, objectName: key, uploadID: uploadId, partNumber };
      const { etag } = await retrying(signal, () => client.uploadPart({ ...where, headers: {} }, bytes));
      parts[index] = { part: partNumber, etag };
    });
    await complete(put, uploadId, parts);
  } catch (error) {
    await abandon(put, uploadId);
    throw error;
  }
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

/** When the answer to the first attempt was lost, the second finds no upload any more although the object is there. */
async function complete(
  { connection, bucket, key, file, signal }: FilePut,
  uploadId: string,
  parts: { part: number; etag: string }[],
): Promise<void> {
  const client = connection.client(signal);
  try {
    await retrying(signal, () => client.completeMultipartUpload(bucket, key, uploadId, parts));
  } catch (error) {
    const stored = await client.statObject(bucket, key).catch(() => undefined);
    if (stored?.size !== file.bytes) throw error;
  }
}

/** By id, not removeIncompleteUpload(): that takes the newest upload of the key, which may be another writer's. */
async function abandon({ connection, bucket, key }: FilePut, uploadId: string): Promise<void> {
  await within(CLEAN_UP_MS, undefined, (signal) =>
    connection.client(signal).abortMultipartUpload(bucket, key, uploadId),
  ).catch(() => {
    // The server's own sweep of stale uploads takes what is left.
  });
}

async function readExactly(handle: FileHandle, memory: Buffer, position: number): Promise<Buffer> {
  for (let read = 0; read < memory.length;) {
    const { bytesRead } = await handle.read(memory, read, memory.length - read, position + read);
    if (bytesRead === 0) throw new WrongSizeError(position + memory.length, position + read);
    read += bytesRead;
  }
  return memory;
}

function partBytesFor(bytes: number): number {
  return Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS));
}
