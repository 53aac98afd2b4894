import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

/** Deadlock and serialization failure: another attempt may go through at once. */
const TRY_AGAIN = new Set(['40P01', '40001']);
const ATTEMPTS = 5;
const PAUSE_MS = 20;

/**
 * A writer that is frozen or cut off must not keep its locks. Rows are looked up by keys, thousands at once, and that is
 * what the planner shall do: it reads whole tables instead as long as it has no statistics of a new asset.
 */
const SETTINGS = `
  SET LOCAL lock_timeout = '20s'; SET LOCAL idle_in_transaction_session_timeout = '20s'; SET LOCAL jit = off;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`;

/** What the transaction looked at has changed meanwhile: all of it is to be done again. */
export class StaleReadError extends Error {}

/**
 * Runs `work` in a transaction, several times when another writer was in the way. It holds one connection and wants no
 * second: a pool of two can't be used up by waiting for itself.
 */
export async function ingestTransaction<T>(
  dataSource: DataSource,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataSource.transaction(async ({ queryRunner }) => {
        if (queryRunner === undefined) throw new Error('The transaction has no query runner.');
        const client = (await queryRunner.connect()) as PoolClient;
        await client.query(SETTINGS);
        return await work(client);
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !mayTryAgain(error)) throw error;
      await sleep(PAUSE_MS * attempt * Math.random());
    }
  }
}

function mayTryAgain(error: unknown): boolean {
  if (error instanceof StaleReadError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && TRY_AGAIN.has(code);
}
