import type { DataSource } from 'typeorm';

/** Any number that only migrations lock on. */
const MIGRATION_LOCK = 7_482_901;

/** Brings the schema up to date; of several processes that try at once one does the work. Returns what was applied. */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return (await dataSource.runMigrations()).map(({ name }) => name);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
  }
}
