import { channelKey } from '#contracts/channels/channel-key.js';
import { classifyChannel, normalizeChannel, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import type { ChannelFamily } from '#contracts/channels/platforms.js';
import { isWeekly } from '#contracts/costs/weekly-spread.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { byText } from './amount.js';
import type { CostWeek } from './cost-weeks.js';

/** A channel under all its spellings. */
export interface CostChannel {
  slug: string;
  /** The most frequent spelling; of equally frequent ones the first in byte order. */
  name: string;
  spellings: ReadonlySet<string>;
  family: ChannelFamily;
  /** Millionths by week. */
  spend: Map<string, bigint>;
  /** Whether its rows stand for weeks. */
  weekly: boolean;
}

/** Channels with the same key (section 8 of the design: a platform's name or the same normalised name) become one; by slug. */
export function mergeChannels(rows: readonly CostWeek[], mapping: ChannelMapping): CostChannel[] {
  const keys = new Map<string, string>();
  const groups = new Map<string, CostWeek[]>();
  for (const row of rows) {
    const key = keys.get(row.channel) ?? channelKey(row.channel);
    keys.set(row.channel, key);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups]
    .sort(([a], [b]) => byText(a, b))
    .map(([slug, ofChannel]) => {
      const spellings = byFrequency(ofChannel);
      const spend = new Map<string, bigint>();
      for (const { weekEnd, spend: amount } of ofChannel)
        spend.set(weekEnd, (spend.get(weekEnd) ?? 0n) + signedMillionths(amount));
      return {
        slug,
        name: spellings[0] ?? slug,
        spellings: new Set(spellings),
        family: familyOf(spellings, mapping),
        spend,
        weekly: isWeekly(ofChannel.flatMap(({ firstDay, lastDay }) => [firstDay, lastDay])),
      };
    });
}

function byFrequency(rows: readonly CostWeek[]): string[] {
  const counts = new Map<string, number>();
  for (const { channel, rows: count } of rows) counts.set(channel, (counts.get(channel) ?? 0) + count);
  return [...counts].sort(([a, m], [b, n]) => n - m || byText(a, b)).map(([spelling]) => spelling);
}

/** A spelling that the asset has mapped decides, else the one shown. */
function familyOf(spellings: readonly string[], mapping: ChannelMapping): ChannelFamily {
  const name = spellings.find((spelling) => mapping.has(normalizeChannel(spelling))) ?? spellings[0] ?? '';
  return classifyChannel(name, mapping).family;
}
