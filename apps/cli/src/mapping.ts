import type { Command } from 'commander';
import { CHANNEL_FAMILIES } from '#contracts/channels/platforms.js';
import { ChannelMappings } from './channel-mappings.js';
import type { Session } from './session.js';
import { table } from './table.js';
import { withDatabase } from './with-database.js';

export function addMappingCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('mapping').description("an asset's own channel names, asked before the dictionary");
  const mappings = <T>(work: (mappings: ChannelMappings) => Promise<T>): Promise<T> =>
    withDatabase(session.env, (dataSource) => work(new ChannelMappings(dataSource)));
  const command = (name: string, description: string): Command =>
    session.command(group, name, description).requiredOption('--asset <id>', 'id of the asset');

  command('set', 'say what family a channel belongs to; replaces a mapping whose name reads alike')
    .requiredOption('--name <text>', 'the channel as files spell it; case, accents and punctuation do not matter')
    .requiredOption('--family <family>', `one of ${CHANNEL_FAMILIES.join(', ')}`)
    .action(
      session.answer(async ({ asset, name, family }: { asset: string; name: string; family: string }) => {
        const mapping = await mappings((all) => all.set(asset, name, family));
        return { json: mapping, text: `"${mapping.name}" is ${mapping.family} in the asset ${mapping.asset_id}.` };
      }),
    );

  command('remove', 'leave a channel to the dictionary again')
    .requiredOption('--name <text>', 'the channel; case, accents and punctuation do not matter')
    .action(
      session.answer(async ({ asset, name }: { asset: string; name: string }) => {
        const mapping = await mappings((all) => all.remove(asset, name));
        return { json: mapping, text: `"${mapping.name}" is not mapped any more in the asset ${mapping.asset_id}.` };
      }),
    );

  command('list', 'show the mappings of an asset by name').action(
    session.answer(async ({ asset }: { asset: string }) => {
      const all = await mappings((known) => known.list(asset));
      const rows = all.map(({ name, family }) => [name, family]);
      return { json: all, text: rows.length === 0 ? 'There are no mappings.' : table(['NAME', 'FAMILY'], rows) };
    }),
  );
}
