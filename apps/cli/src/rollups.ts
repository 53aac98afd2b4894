import type { Command } from 'commander';
import { validate } from 'uuid';
import { UnknownAssetError } from '#ingest/known-assets.js';
import {
  rebuildRollups,
  RebuildRunningError,
  type RebuiltRollups,
} from '#apps/reporting/src/rollups/rebuild-rollups.js';
import { CommandFailure, type Session } from './session.js';
import { table } from './table.js';
import { withDatabase } from './with-database.js';

export function addRollupsCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('rollups').description('what reports read: sums of days and users');

  session
    .command(group, 'rebuild', 'compute sessions, sums and users anew from raw events; ingest and reports go on')
    .option('--asset <id>', 'only of this asset')
    .action(
      session.answer(async ({ asset }: { asset?: string }) => {
        const rebuilt = await rebuild(session.env, asset);
        const rows = rebuilt.map(({ asset_id, version, events, sessions }) => [
          asset_id,
          String(version),
          String(events),
          String(sessions),
        ]);
        const headers = ['ASSET', 'VERSION', 'EVENTS', 'SESSIONS'];
        return { json: { rebuilt }, text: rows.length === 0 ? 'There are no assets.' : table(headers, rows) };
      }),
    );
}

async function rebuild(env: NodeJS.ProcessEnv, asset: string | undefined): Promise<RebuiltRollups[]> {
  if (asset !== undefined && !validate(asset)) throw new CommandFailure(`There is no asset ${asset}.`);
  return withDatabase(env, async (dataSource) => {
    const rebuilt: RebuiltRollups[] = [];
    const all =
      asset === undefined
        ? await dataSource.query<{ asset_id: string }[]>('SELECT asset_id FROM access.asset ORDER BY asset_id')
        : [{ asset_id: asset }];
    for (const { asset_id } of all) {
      try {
        rebuilt.push(await rebuildRollups(dataSource, asset_id));
      } catch (error) {
        if (error instanceof RebuildRunningError || error instanceof UnknownAssetError)
          throw new CommandFailure(error.message);
        throw error;
      }
    }
    return rebuilt;
  });
}
