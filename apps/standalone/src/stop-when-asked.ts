import { loggerFor } from '#runtime/logger.js';
import type { Embedded } from './embedded.js';

const PARENT_CHECK_MS = 1_000;

/** Ctrl-C, SIGTERM, the end of PostgreSQL, or the end of the npm that started us: the whole of it stops. */
export function stopWhenAsked(embedded: Embedded): void {
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number): void => {
    stopping ??= embedded.stop().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        loggerFor('standalone').error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      stop(0);
    });
  }
  void embedded.postgres.exited.then(() => {
    if (stopping === undefined) loggerFor('standalone').fatal('PostgreSQL has stopped');
    stop(1);
  });
  watchNpm(stop);
}

/** npm that is killed can't pass the signal on; then we have another parent. */
function watchNpm(stop: (exitCode: number) => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop(1);
  }, PARENT_CHECK_MS).unref();
}
