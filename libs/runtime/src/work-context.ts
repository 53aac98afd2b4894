import { AsyncLocalStorage } from 'node:async_hooks';

/** What the current piece of work is about: request id, import id, topic and offset, trace. Every log line carries it. */
export type WorkContext = Record<string, string | number | undefined>;

const storage = new AsyncLocalStorage<WorkContext>();

/** Runs `work` with `context` added to what is known already. */
export function withContext<T>(context: WorkContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

export function currentContext(): WorkContext {
  return storage.getStore() ?? {};
}

/** A child of the current W3C trace context, or a new trace. */
export function nextTraceparent(): string {
  const parent = currentContext()['traceparent'];
  const traceId = typeof parent === 'string' ? /^00-([0-9a-f]{32})-/.exec(parent)?.[1] : undefined;
  return `00-${traceId ?? randomHex(16)}-${randomHex(8)}-01`;
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
