import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandFailure } from '../session.js';

const READ_BYTES = 256 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b];

/**
 * The bytes of a file, piece by piece; gzip is recognised by its first bytes and inflated.
 *
 * @param onRead told how many bytes of the file itself have been read
 * @throws CommandFailure when the file can't be read, or its gzip is broken
 */
export async function* openFile(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: READ_BYTES });
  try {
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const first = await chunks.next();
    if (first.done === true) return;
    const bytes = counted(first.value, { [Symbol.asyncIterator]: () => chunks }, onRead);
    const isGzip = GZIP_MAGIC.every((byte, at) => first.value[at] === byte);
    if (isGzip) yield* pipeline(bytes, createGunzip(), () => undefined) as AsyncIterable<Buffer>;
    else yield* bytes;
  } catch (error) {
    throw explained(path, error);
  } finally {
    stream.destroy();
  }
}

async function* counted(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let read = first.length;
  onRead(read);
  yield first;
  for await (const chunk of rest) {
    read += chunk.length;
    onRead(read);
    yield chunk;
  }
}

function explained(path: string, error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT') return new CommandFailure(`There is no file ${path}.`);
  if (code === 'EISDIR') return new CommandFailure(`${path} is a directory.`);
  if (code === 'EACCES') return new CommandFailure(`${path} may not be read.`);
  if (typeof code === 'string' && code.startsWith('Z_')) return new CommandFailure(`${path} is not valid gzip.`);
  return error;
}
