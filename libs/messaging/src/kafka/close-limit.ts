import { setTimeout as sleep } from 'node:timers/promises';
import { loggerFor } from '#runtime/logger.js';

const CLOSE_LIMIT_MS = 10_000;

/**
 * Waits for a Kafka client to close, but not longer than 10 s: while the brokers are out of reach it waits for answers
 * that don't come. Offsets are committed with each message, so nothing is lost.
 */
export async function withinCloseLimit(closing: Promise<unknown>): Promise<void> {
  const abandon = new AbortController();
  const log = loggerFor('kafkajs');
  const closed = closing.catch((error: unknown) => {
    log.warn({ err: error }, 'a Kafka client did not close cleanly');
  });
  const limit = sleep(CLOSE_LIMIT_MS, 'late', { signal: abandon.signal }).catch(() => undefined);
  const winner = await Promise.race([closed, limit]);
  if (winner === 'late') log.warn('a Kafka client did not close in time');
  abandon.abort();
}
