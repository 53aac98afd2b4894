import { channelMapping, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import type { ModelAsset } from './asset.js';
import { addDays } from './calendar.js';
import { readCostSpan, readCostWeeks } from './cost-weeks.js';
import { NO_EXCHANGE, type Exchange } from './exchange.js';
import { mergeChannels } from './merge-channels.js';
import { BURN_IN_WEEKS, burnInWeeks, channelsInWindow, type WindowChannel } from './mix-channels.js';
import { requireRates, runMoney } from './mix-money.js';
import { MIN_WEEKS, type MixOutcome } from './mix-outcome.js';
import { weeksInCommon } from './mix-window.js';

/** What was spent on each channel, in the currency of the run. */
export interface MixSpend {
  channels: WindowChannel[];
  currency: string;
  /** How the outcome gets to that currency. */
  exchange: Exchange;
}

/**
 * Channels with spend in the window.
 *
 * @param money of the outcome that has to be in the same currency; none for counts
 * @throws RunFailure no_cost, not_enough_weeks in common with the outcome, or mixed_currency when a rate is missing
 */
export async function mixSpend(
  read: RowReader,
  assetId: string,
  asset: ModelAsset,
  { weeks, first, last, known, lastComplete }: MixOutcome,
  money: MixOutcome['rows'],
): Promise<MixSpend> {
  const days = { from: addDays(first, -6 - 7 * BURN_IN_WEEKS), to: last };
  const costs = await readCostWeeks(read, assetId, days, NO_EXCHANGE);
  const window = { weeks, before: burnInWeeks(first, costs), known };
  const mapping = await readMapping(read, assetId);
  const merged = mergeChannels(costs, mapping);
  const channels = channelsInWindow(merged, window);
  const span = await readCostSpan(read, assetId, lastComplete);
  if (span === undefined || channels.length === 0) throw new RunFailure('no_cost');
  const have = weeksInCommon(weeks, known, span);
  if (have < MIN_WEEKS) throw new RunFailure('not_enough_weeks', { have, need: MIN_WEEKS });

  const { currency, exchange } = await runMoney(read, asset.currency, costs, money);
  if (exchange.into === null) return { channels, currency, exchange };
  const converted = await readCostWeeks(read, assetId, days, exchange);
  requireRates(converted, merged);
  return { channels: channelsInWindow(mergeChannels(converted, mapping), window), currency, exchange };
}

async function readMapping(read: RowReader, assetId: string): Promise<ChannelMapping> {
  return channelMapping(
    await read<{ name: string; family: string }>(
      `SELECT name, family FROM imports.channel_mapping WHERE asset_id = $1 ORDER BY name COLLATE "C"`,
      [assetId],
    ),
  );
}
