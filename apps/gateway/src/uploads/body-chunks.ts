import { createReadStream } from 'node:fs';
import type { ObjectBody } from '#storage/object-store.js';

const CHUNK_BYTES = 64 * 1024;

/** The bytes of a received body, piece by piece, from memory or from its file. */
export async function* bodyChunks(body: ObjectBody): AsyncGenerator<Buffer> {
  if (!Buffer.isBuffer(body)) {
    yield* createReadStream(body.path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
    return;
  }
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}
