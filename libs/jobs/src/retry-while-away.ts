import { setTimeout as sleep } from 'node:timers/promises';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

const log = loggerFor('jobs');

/**
 * Does `work`, again and again with growing pauses while a dependency is away.
 *
 * @throws what `work` throws for any other reason, and the signal's reason before the next try
 */
export async function retryWhileAway<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isDependencyAway(error)) throw error;
      log.warn({ err: error }, 'a dependency is away; trying again');
    }
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}
