import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { assetVersions } from '../ingest/asset-versions.js';
import { Dimensions } from '../ingest/dimensions.js';
import { ingestTransaction } from '#ingest/ingest-transaction.js';
import { localDaysOf } from '#ingest/local-days.js';
import { lockRollups } from '../ingest/locks.js';
import { buildRollups, buildSessions } from './build-version.js';
import { makeMissingVisitors } from './missing-visitors.js';
import { OutcomeStage } from './outcome-stage.js';
import { tryLockRebuild, unlockRebuild } from './rebuild-lock.js';
import { replay } from './rebuild-log.js';
import { storedEvents } from './stored-events.js';
import { abandonRebuild, removeOtherVersions } from './versions.js';

/** Changes of the ingest that one transaction applies to the new version. */
const REPLAY_AT_ONCE = 10;

export interface RebuiltRollups {
  asset_id: string;
  /** The version that is read now. */
  version: number;
  events: number;
  sessions: number;
}

/** Another process rebuilds the rollups of the asset at this moment. */
export class RebuildRunningError extends Error {
  constructor(assetId: string) {
    super(`The rollups of the asset ${assetId} are being rebuilt already.`);
  }
}

/**
 * Computes sessions, rollups, users and outcomes of an asset anew from its raw events, while ingest goes on and reports are
 * read: a new version is made from a snapshot, what the ingest did since is applied to it, then it takes the place of the
 * old. Takes two connections of the pool.
 *
 * @throws RebuildRunningError
 * @throws UnknownAssetError
 */
export async function rebuildRollups(dataSource: DataSource, assetId: string): Promise<RebuiltRollups> {
  const runner = dataSource.createQueryRunner();
  const reader = (await runner.connect()) as PoolClient;
  try {
    const { timezone, currency } = await assetVersions(reader, assetId);
    if (!(await tryLockRebuild(reader, assetId))) throw new RebuildRunningError(assetId);
    try {
      await abandonRebuild(reader, assetId);
      await makeMissingVisitors(dataSource, reader, assetId);
      const version = await startBuilding(dataSource, reader, assetId);
      const days = localDaysOf(timezone);
      const outcomes = new OutcomeStage(reader, currency);
      const events = storedEvents(reader, assetId, days, new Dimensions(dataSource), outcomes);
      const built = await buildSessions((work) => onConnection(dataSource, work), assetId, version, events);
      await outcomes.write(assetId, version);
      await reader.query(`COMMIT; BEGIN; SET LOCAL work_mem = '256MB'`);
      await buildRollups(reader, assetId, version);
      await reader.query('COMMIT');
      await catchUp(dataSource, assetId, version);
      await removeOtherVersions(reader, assetId, version);
      return { asset_id: assetId, version, ...built };
    } catch (error) {
      await abandon(reader, assetId);
      throw error;
    } finally {
      await unlockRebuild(reader, assetId);
    }
  } finally {
    await runner.release();
  }
}

/**
 * From here on the ingest notes what it does. The snapshot is taken while nobody else can change rollups: what was
 * committed before is in it, all that comes after is noted.
 */
async function startBuilding(dataSource: DataSource, reader: PoolClient, assetId: string): Promise<number> {
  return ingestTransaction(dataSource, async (client) => {
    await lockRollups(client, assetId);
    const { rows } = await client.query<{ building: number }>(
      `INSERT INTO reporting.asset_state AS s (asset_id, building) VALUES ($1, 2)
       ON CONFLICT (asset_id) DO UPDATE SET building = s.version + 1 RETURNING building`,
      [assetId],
    );
    // Another attempt needs another snapshot.
    await reader.query('ROLLBACK');
    await reader.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_current_snapshot()`,
    );
    return rows[0]?.building ?? 0;
  });
}

/** Brings the new version up to date and puts it into the place of the old one. */
async function catchUp(dataSource: DataSource, assetId: string, version: number): Promise<void> {
  const piece = (): Promise<number> =>
    ingestTransaction(dataSource, (client) => replay(client, assetId, version, REPLAY_AT_ONCE));
  while ((await piece()) === REPLAY_AT_ONCE);
  await ingestTransaction(dataSource, async (client) => {
    await lockRollups(client, assetId);
    while ((await replay(client, assetId, version, REPLAY_AT_ONCE)) === REPLAY_AT_ONCE);
    await client.query('UPDATE reporting.asset_state SET version = $2, building = NULL WHERE asset_id = $1', [
      assetId,
      version,
    ]);
  });
}

/** Does not hide why it failed; what stays is abandoned by the next rebuild or by housekeeping. */
async function abandon(client: PoolClient, assetId: string): Promise<void> {
  try {
    await client.query('ROLLBACK');
    await abandonRebuild(client, assetId);
  } catch {
    return;
  }
}

async function onConnection(dataSource: DataSource, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await work((await runner.connect()) as PoolClient);
  } finally {
    await runner.release();
  }
}
