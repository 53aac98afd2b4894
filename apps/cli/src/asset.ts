import type { Command } from 'commander';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import type { Session } from './session.js';
import { table } from './table.js';
import { withDatabase } from './with-database.js';

export function addAssetCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('asset').description('the properties that costs are imported for');

  session
    .command(group, 'create', 'make an asset')
    .requiredOption('--name <text>', 'what people call it')
    .requiredOption('--timezone <name>', 'IANA name such as Europe/Berlin; its days are those of reports')
    .requiredOption('--currency <code>', 'three letters such as EUR')
    .action(
      session.answer(async ({ name, timezone, currency }: { name: string; timezone: string; currency: string }) => {
        const asset = await withDatabase(session.env, (dataSource) =>
          new AccessAdmin(dataSource).createAsset(name, timezone, currency),
        );
        return {
          json: asset,
          text: `Asset ${asset.asset_id} "${asset.name}" in ${asset.timezone} and ${asset.currency}.`,
        };
      }),
    );

  session.command(group, 'list', 'show all assets, oldest first').action(
    session.answer(async () => {
      const assets = await withDatabase(session.env, (dataSource) => new AccessAdmin(dataSource).listAssets());
      const rows = assets.map(({ asset_id, name, timezone, currency, created_at }) => [
        asset_id,
        name,
        timezone,
        currency,
        created_at,
      ]);
      const text =
        rows.length === 0 ? 'There are no assets.' : table(['ASSET', 'NAME', 'TIME ZONE', 'CURRENCY', 'CREATED'], rows);
      return { json: assets, text };
    }),
  );
}
