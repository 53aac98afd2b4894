import type { PoolClient } from 'pg';
import { assetVersions, type AssetVersions } from './asset-versions.js';
import { StaleReadError } from '#ingest/ingest-transaction.js';
import { lockRollups } from './locks.js';
import { RollupTable } from './rollup-table.js';
import { SessionTable, type SessionChange } from './session-table.js';
import { noteForRebuild } from '../rollups/rebuild-log.js';

/**
 * Writes what a transaction does to sessions, then, one writer at a time, to rollups. Call it last: others wait from here
 * to the commit.
 *
 * @param asset as the transaction found it
 * @throws StaleReadError when a rebuild has put another version into its place meanwhile
 */
export async function writeChange(
  client: PoolClient,
  assetId: string,
  asset: AssetVersions,
  change: SessionChange,
  isNew: (person: number) => boolean,
): Promise<void> {
  const { version } = asset;
  const rollups = await new SessionTable(client, assetId, version).apply(change);
  await lockRollups(client, assetId);
  const now = await assetVersions(client, assetId);
  if (now.version !== version) throw new StaleReadError('The rollups were rebuilt.');
  await new RollupTable(client, assetId, version).apply(rollups, isNew);
  if (now.building !== null) await noteForRebuild(client, assetId, change);
}
