import type { DataSource } from 'typeorm';

/**
 * For whoever owns the database alone and starts now: whoever holds a lease was killed, and nobody need wait until it
 * runs out.
 */
export async function endLeases(dataSource: DataSource): Promise<void> {
  for (const table of ['imports.job', 'exports.job', 'modeling.run', 'modeling.lift_test'])
    await dataSource.query(`UPDATE ${table} SET lease_until = clock_timestamp() WHERE status = 'running'`);
}
