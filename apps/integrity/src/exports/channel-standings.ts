import { channelKey } from '#contracts/channels/channel-key.js';
import { channelMapping } from '#contracts/channels/classify-channel.js';
import type { ExportSnapshot } from '#jobs/export-definition.js';
import { channelStanding } from '../detection/channel-standing.js';
import type { ChannelStanding } from '../detection/traffic.js';

/** Whether clicks on a channel of an asset cost money, as detection takes it. */
export async function channelStandings(
  snapshot: ExportSnapshot,
  assetId: string,
): Promise<(channel: string, unpaid: boolean) => ChannelStanding> {
  const names = await snapshot.query<{ name: string; family: string }>(
    'SELECT name, family FROM imports.channel_mapping WHERE asset_id = $1',
    [assetId],
  );
  const costs = await snapshot.query<{ channel: string }>(
    'SELECT DISTINCT channel FROM integrity.cost_day WHERE asset_id = $1',
    [assetId],
  );
  const mapping = channelMapping(names);
  const withCosts = new Set(costs.map(({ channel }) => channel));
  return (channel, unpaid) => channelStanding(channel, unpaid, mapping, withCosts.has(channelKey(channel)));
}
