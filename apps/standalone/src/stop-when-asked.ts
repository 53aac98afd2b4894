import { readFileSync } from 'node:fs';
import { loggerFor } from '#runtime/logger.js';
import type { Embedded } from './embedded.js';

const PARENT_CHECK_MS = 1_000;
/** Jobs are given 10 s of it. PostgreSQL's checkpoint may take longer; its guard waits for that. */
const STOP_LIMIT_MS = 20_000;
/** npm passes on a Ctrl-C that reached us already; later than this it is a person who has waited enough. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Ctrl-C, SIGTERM, the end of PostgreSQL, or the end of the npm that started us: the whole of it stops and the process
 * ends; `afterwards` runs between the two. What has not stopped after 20 s, or when a signal comes again, is left to the
 * next start to recover.
 *
 * @returns the same for whoever wants to stop by himself; never resolves, because the process ends
 */
export function stopWhenAsked(
  embedded: Embedded,
  afterwards: () => void = () => undefined,
): (exitCode: number) => Promise<never> {
  let stopping: Promise<never> | undefined;
  let askedAt = Infinity;
  const stop = (exitCode: number): Promise<never> => (stopping ??= stopAndExit(embedded, exitCode, afterwards));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (Date.now() - askedAt > SAME_SIGNAL_MS) process.exit(1);
      askedAt = Math.min(askedAt, Date.now());
      void stop(0);
    });
  }
  void embedded.postgres.exited.then(() => {
    if (stopping === undefined) loggerFor('standalone').fatal('PostgreSQL has stopped');
    void stop(1);
  });
  watchNpm(() => void stop(1));
  return stop;
}

async function stopAndExit(embedded: Embedded, exitCode: number, afterwards: () => void): Promise<never> {
  setTimeout(() => {
    loggerFor('standalone').error(`something did not stop in ${STOP_LIMIT_MS / 1_000} s`);
    process.exit(1);
  }, STOP_LIMIT_MS);
  try {
    await embedded.stop();
    afterwards();
  } catch (error) {
    loggerFor('standalone').error({ err: error }, 'could not stop cleanly');
    process.exit(1);
  }
  process.exit(exitCode);
}

/** npm that is killed can't pass the signal on; then we, or the shell between npm and us, have another parent. */
function watchNpm(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const ancestry = findAncestry();
  setInterval(() => {
    if (findAncestry() !== ancestry) stop();
  }, PARENT_CHECK_MS).unref();
}

/** Our parent; and its parent, when ours is npm's shell: most shells make way for us, but Debian's dash stays. */
function findAncestry(): string {
  const parent = process.ppid;
  try {
    const [, option] = readFileSync(`/proc/${parent}/cmdline`, 'utf8').split('\0');
    if (option !== '-c') return String(parent);
    const [, grandparent] = readFileSync(`/proc/${parent}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return `${parent} ${grandparent}`;
  } catch {
    // There is no /proc; the shell of macOS makes way.
    return String(parent);
  }
}
