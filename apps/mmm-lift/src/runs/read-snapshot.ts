import type { DataSource } from 'typeorm';
import { rowReader, type RowReader } from '#database/modeling/row-reader.js';
import { loggerFor } from '#runtime/logger.js';

const log = loggerFor('models');

/**
 * Lets `read` see the database as it is at one moment, writing nothing. A statement that runs when `signal` fires is
 * canceled.
 */
export function readSnapshot<T>(
  dataSource: DataSource,
  signal: AbortSignal,
  read: (rows: RowReader) => Promise<T>,
): Promise<T> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('SET TRANSACTION READ ONLY');
    const [backend] = await manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    let canceled: Promise<unknown> = Promise.resolve();
    const cancel = (): void => {
      canceled = dataSource.query('SELECT pg_cancel_backend($1)', [backend?.pid]).catch((error: unknown) => {
        log.warn({ err: error }, 'could not cancel the statement of a stopped job');
      });
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await read(rowReader(manager));
    } finally {
      signal.removeEventListener('abort', cancel);
      // A late one would hit whoever has the connection next.
      await canceled;
    }
  });
}
