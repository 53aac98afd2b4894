import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import { createGunzip } from 'node:zlib';
import { AppError } from '#contracts/errors.js';
import { BodyTooLargeError, spoolBody, type SpooledBody } from '#storage/body-spool.js';

const ACCEPTED_ENCODINGS = ['gzip', 'identity'];
const SLOWEST_BYTES_PER_SECOND = 1024;

export interface UploadLimits {
  maxBytes: number;
  /** Where the client may send a larger file; absent when there is no such place. */
  asyncUrl?: string;
  slowBodyMs: number;
  spoolDirectory: string;
}

/**
 * The media type that the client says it sends, one of `accepted`, in UTF-8, plain or gzip; checked before the body is
 * read.
 *
 * @throws AppError `unsupported_media_type`
 */
export function acceptedType<T extends string>({ headers }: IncomingMessage, accepted: readonly T[]): T {
  let type: MIMEType | undefined;
  try {
    type = new MIMEType(headers['content-type'] ?? '');
  } catch {
    type = undefined;
  }
  const charset = type?.params.get('charset')?.toLowerCase();
  const found = accepted.find((one) => one === type?.essence);
  if (found === undefined || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
    throw unsupported(`The Content-Type must be ${accepted.join(' or ')}, in UTF-8.`, accepted);
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (!ACCEPTED_ENCODINGS.includes(encoding))
    throw unsupported('The Content-Encoding must be gzip or absent.', ACCEPTED_ENCODINGS);
  return found;
}

function unsupported(detail: string, accepted: readonly string[]): AppError {
  return new AppError('unsupported_media_type', detail, { extensions: { accepted }, headers: CLOSE });
}

/** The rest of the body is not waited for, so the connection can't be used again. */
const CLOSE = { Connection: 'close' };

/**
 * Receives a body: inflated, counted and hashed while it arrives; small ones stay in memory. The cap is on the inflated
 * bytes and is answered at once.
 *
 * @throws AppError `body_too_large`, `request_timeout`, `invalid_encoding` (no gzip); any other error when the client is gone
 */
export async function receiveUpload(request: IncomingMessage, limits: UploadLimits): Promise<SpooledBody> {
  const { maxBytes } = limits;
  const gzip = request.headers['content-encoding']?.trim().toLowerCase() === 'gzip';
  if (!gzip && Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(limits);
  const abort = new AbortController();
  const watch = watchRate(request, limits.slowBodyMs, abort);
  try {
    return await spoolBody(gzip ? inflated(request) : undestroyed(request), {
      maxBytes,
      directory: limits.spoolDirectory,
      signal: abort.signal,
    });
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw tooLarge(limits);
    if (abort.signal.aborted) throw abort.signal.reason as Error;
    throw error;
  } finally {
    clearInterval(watch);
  }
}

function tooLarge({ maxBytes, asyncUrl }: UploadLimits): AppError {
  return new AppError('body_too_large', `The body may have at most ${maxBytes} bytes after inflation.`, {
    extensions: { max_bytes: maxBytes, ...(asyncUrl === undefined ? {} : { async_url: asyncUrl }) },
    headers: CLOSE,
  });
}

/** Destroying the request would cut the connection before the answer is out. */
async function* undestroyed(request: IncomingMessage): AsyncGenerator<Buffer> {
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

async function* inflated(request: IncomingMessage): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const source = undestroyed(request);
  const feed: Readable = pipeline(source, gunzip, () => undefined);
  try {
    yield* feed as AsyncIterable<Buffer>;
  } catch (error) {
    const { code } = error as { code?: unknown };
    // Of no bytes at all the inflater says that they end too early; they are an empty file.
    if (code === 'Z_BUF_ERROR' && gunzip.bytesWritten === 0) return;
    if (typeof code === 'string' && code.startsWith('Z_')) {
      throw new AppError('invalid_encoding', 'The body is not valid gzip.', { headers: CLOSE, cause: error });
    }
    throw error;
  } finally {
    gunzip.destroy();
  }
}

/** Under 1 KB/s for a whole interval: the client is answered 408. */
function watchRate(request: IncomingMessage, intervalMs: number, abort: AbortController): NodeJS.Timeout {
  let before = 0;
  let received = 0;
  const count = (chunk: Buffer): void => {
    received += chunk.length;
  };
  request.on('data', count);
  request.pause();
  return setInterval(() => {
    // What is here already waits for us, not for the client.
    if (request.complete || request.readableLength > 0) return;
    if (received - before < (SLOWEST_BYTES_PER_SECOND * intervalMs) / 1000) {
      abort.abort(new AppError('request_timeout', 'The body came at under 1 KB/s.', { headers: CLOSE }));
    }
    before = received;
  }, intervalMs);
}
