import type { PoolClient } from 'pg';
import { assetVersions, type AssetVersions } from './asset-versions.js';
import type { Change } from './change.js';
import { StaleReadError } from '#ingest/ingest-transaction.js';
import { lockRollups } from './locks.js';
import { addOutcomes } from './outcome-table.js';
import { RollupTable } from './rollup-table.js';
import { SessionTable } from './session-table.js';
import { noteForRebuild } from '../rollups/rebuild-log.js';

/**
 * Writes what a transaction does to sessions, then, one writer at a time, to rollups and outcomes. Call it last: others wait from here
 * to the commit.
 *
 * @param asset as the transaction found it
 * @throws StaleReadError when a rebuild has put another version into its place meanwhile
 */
export async function writeChange(
  client: PoolClient,
  assetId: string,
  asset: AssetVersions,
  change: Change,
  isNew: (person: number) => boolean,
): Promise<void> {
  const { version } = asset;
  const rollups = await new SessionTable(client, assetId, version).apply(change);
  await lockRollups(client, assetId);
  const now = await assetVersions(client, assetId);
  if (now.version !== version) throw new StaleReadError('The rollups were rebuilt.');
  await new RollupTable(client, assetId, version).apply(rollups, isNew);
  await addOutcomes(client, assetId, version, change.outcomes);
  if (now.building !== null) await noteForRebuild(client, assetId, change);
}
