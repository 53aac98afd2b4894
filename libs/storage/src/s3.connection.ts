import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, S3Error } from 'minio';
import { DependencyAwayError, isDependencyAway } from '#runtime/dependency-away.js';

const TRIES = 3;
const FIRST_DELAY_MS = 200;

export interface S3ConnectionOptions {
  /** `http(s)://host[:port]`. */
  endpoint: string;
  accessKey: string;
  secretKey: string;
  region: string;
  /** Silence of the server, in milliseconds, after which a request fails. */
  silenceMs: number;
}

/**
 * Makes minio clients, one per operation: the client itself knows neither timeouts nor abort signals, but it lets us
 * give it the function that sends a request. So every request of an operation dies with the operation.
 */
export class S3Connection {
  private readonly url: URL;
  private readonly agent: http.Agent;

  constructor(private readonly options: S3ConnectionOptions) {
    this.url = new URL(options.endpoint);
    this.agent = this.secure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  }

  /** Requests of this client end when `signal` fires. */
  client(signal?: AbortSignal): Client {
    const { accessKey, secretKey, region } = this.options;
    return new Client({
      endPoint: this.url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(this.url.port) || (this.secure ? 443 : 80),
      useSSL: this.secure,
      accessKey,
      secretKey,
      // Without it every presigned URL would ask the server for the region.
      region,
      transport: { request: this.requestFor(signal) as typeof http.request },
      transportAgent: this.agent,
      // Its own retry prints to the console and forgets the error; see `retrying`.
      retryOptions: { disableRetry: true },
    });
  }

  close(): void {
    this.agent.destroy();
  }

  private get secure(): boolean {
    return this.url.protocol === 'https:';
  }

  private requestFor(signal: AbortSignal | undefined) {
    const { silenceMs } = this.options;
    const { request } = this.secure ? https : http;
    return (
      options: http.RequestOptions,
      onResponse?: (response: http.IncomingMessage) => void,
    ): http.ClientRequest => {
      let response: http.IncomingMessage | undefined;
      // `timeout` as an option also covers the time of connecting, which setTimeout() does not.
      const sent = request({ ...options, timeout: silenceMs }, (received) => {
        response = received;
        const status = received.statusCode ?? 0;
        if (meansAway(status)) sent.destroy(new DependencyAwayError(`The object store answered ${status}.`));
        else onResponse?.(received);
      });
      sent.on('timeout', () => {
        // Bytes that nobody has read yet: our reader is slow, not the server silent.
        if (response !== undefined && response.readableLength > 0) sent.socket?.setTimeout(silenceMs);
        else sent.destroy(new DependencyAwayError(`The object store was silent for ${silenceMs} ms.`));
      });
      const abort = (): void => void sent.destroy(signal?.reason as Error);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort, { once: true });
      sent.once('close', () => signal?.removeEventListener('abort', abort));
      return sent;
    };
  }
}

function meansAway(status: number): boolean {
  return status === 408 || status === 429 || status === 499 || (status >= 500 && status !== 501);
}

/**
 * Runs an operation that must end in `deadlineMs`, or when `signal` fires. Its errors come out as what they mean:
 * whatever says that the store is away as DependencyAwayError, an abort as the signal's reason.
 */
export async function within<T>(
  deadlineMs: number,
  signal: AbortSignal | undefined,
  work: (ends: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ends = new AbortController();
  const abort = (): void => {
    ends.abort(signal?.reason);
  };
  const timer = setTimeout(() => {
    ends.abort(new DependencyAwayError(`The object store did not finish within ${deadlineMs} ms.`));
  }, deadlineMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(ends.signal);
  } catch (error) {
    throw ends.signal.aborted ? ends.signal.reason : named(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Tries again, up to three times in all and with growing random pauses, what failed because the store was away. */
export async function retrying<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || signal.aborted || !isDependencyAway(named(error))) throw error;
      await delay(Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

function named(error: unknown): unknown {
  if (error instanceof DependencyAwayError) return error;
  // A 200 whose body is an error comes as a plain object, or without its code. S3 documents it for «try again».
  if (isPlainFault(error)) return new DependencyAwayError(`The object store failed: ${error.Code}`, { cause: error });
  if (isDependencyAway(error))
    return new DependencyAwayError(`The object store is away: ${(error as Error).message}`, { cause: error });
  if (error instanceof S3Error && error.code === undefined)
    return new DependencyAwayError(`The object store failed: ${error.message}`, { cause: error });
  return error;
}

function isPlainFault(error: unknown): error is { Code: string } {
  return typeof error === 'object' && error !== null && typeof (error as { Code?: unknown }).Code === 'string';
}
