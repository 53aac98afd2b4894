import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { tryLockRebuild, unlockRebuild } from './rebuild-lock.js';
import { abandonRebuild } from './versions.js';

/** Ends what the ingest still does for rebuilds whose process has died. @returns how many there were */
export async function abandonDeadRebuilds(dataSource: DataSource): Promise<number> {
  const building = await dataSource.query<{ asset_id: string }[]>(
    'SELECT asset_id FROM reporting.asset_state WHERE building IS NOT NULL',
  );
  if (building.length === 0) return 0;
  const runner = dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as PoolClient;
    let abandoned = 0;
    for (const { asset_id } of building) {
      if (!(await tryLockRebuild(client, asset_id))) continue;
      try {
        await abandonRebuild(client, asset_id);
        abandoned++;
      } finally {
        await unlockRebuild(client, asset_id);
      }
    }
    return abandoned;
  } finally {
    await runner.release();
  }
}
