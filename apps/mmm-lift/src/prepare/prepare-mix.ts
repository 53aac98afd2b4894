import { channelMapping, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import { localDay } from '#contracts/local-day.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { isCount } from '#contracts/modeling/target.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import type { MixInput } from '../mmm/mix-input.js';
import { numberOf } from './amount.js';
import { readAsset } from './asset.js';
import { addDays, lastWeekBefore } from './calendar.js';
import { readCostSpan, readCostWeeks } from './cost-weeks.js';
import { NO_EXCHANGE } from './exchange.js';
import { mergeChannels } from './merge-channels.js';
import { BURN_IN_WEEKS, burnInWeeks, channelsInWindow } from './mix-channels.js';
import { mixControls, readControls } from './mix-controls.js';
import { conversionValueIn, requireOutcomeRates, requireRates, runMoney } from './mix-money.js';
import { mixTests, readFinishedTests, readTestedDays, testedChannel } from './mix-tests.js';
import { mixWindow, weeksInCommon } from './mix-window.js';
import { averageOrderValue, outcomeByWeek, readEventWeeks, readOutcomeWeeks, targetOccurs } from './outcome-weeks.js';
import { poolChannels } from './pool-channels.js';
import { maybeWeekStart } from './week-start.js';

const MIN_WEEKS = 12;

export interface MixRequest {
  assetId: string;
  target: string;
  /** The days asked for; null: all complete weeks. */
  from: string | null;
  to: string | null;
  seed: number;
  now: Date;
}

/**
 * Everything that a model is fitted to: target, spend by channel, controls and lift tests by week (section 3 of the
 * design). The same rows give the same input, in whatever order they were stored.
 *
 * @param read SELECTs of one snapshot
 * @throws RunFailure when there is too little to model, or when amounts of several currencies lack a rate
 */
export async function prepareMix(read: RowReader, run: MixRequest): Promise<MixInput> {
  const { assetId, target, seed } = run;
  const asset = await readAsset(read, assetId);
  const lastComplete = lastWeekBefore(localDay(asset.timezone, run.now));
  const events = await readEventWeeks(read, assetId, lastComplete);
  const outcomeOf = { assetId, target, to: lastComplete, currency: asset.currency };
  const nativeOutcome = await readOutcomeWeeks(read, outcomeOf, NO_EXCHANGE);
  const weeks = mixWindow(
    (target === 'conversions' ? events : nativeOutcome).map(({ weekEnd }) => weekEnd),
    run,
    lastComplete,
  );
  const [first] = weeks;
  const last = weeks.at(-1);
  if (first === undefined || last === undefined) {
    if (!(await targetOccurs(read, assetId, target))) throw new RunFailure('target_unavailable');
    throw new RunFailure('not_enough_weeks', { have: 0, need: MIN_WEEKS });
  }
  const tracked = new Set(events.map(({ weekEnd }) => weekEnd));
  const known = weeks.map((week) => tracked.has(week));

  const days = { from: addDays(first, -6), to: last };
  const withBurnIn = { from: addDays(days.from, -7 * BURN_IN_WEEKS), to: last };
  const nativeCosts = await readCostWeeks(read, assetId, withBurnIn, NO_EXCHANGE);
  const before = burnInWeeks(first, nativeCosts);
  const mapping = await readMapping(read, assetId);
  const native = mergeChannels(nativeCosts, mapping);
  const span = await readCostSpan(read, assetId, lastComplete);
  if (span === undefined || channelsInWindow(native, { weeks, before, known }).length === 0)
    throw new RunFailure('no_cost');
  const have = weeksInCommon(weeks, known, span);
  if (have < MIN_WEEKS) throw new RunFailure('not_enough_weeks', { have, need: MIN_WEEKS });

  const inWindow = new Set(weeks);
  const windowOutcome = nativeOutcome.filter(({ weekEnd }) => inWindow.has(weekEnd));
  const { currency, exchange } = await runMoney(
    read,
    asset.currency,
    nativeCosts,
    isCount(target) ? [] : windowOutcome,
  );
  const mixed = exchange.into !== null;
  const costs = mixed ? await readCostWeeks(read, assetId, withBurnIn, exchange) : nativeCosts;
  const merged = mixed ? mergeChannels(costs, mapping) : native;
  requireRates(costs, merged);
  const outcome =
    mixed && !isCount(target)
      ? (await readOutcomeWeeks(read, outcomeOf, exchange)).filter(({ weekEnd }) => inWindow.has(weekEnd))
      : windowOutcome;
  requireOutcomeRates(outcome);
  const amounts = outcomeByWeek(outcome);
  const y = weeks.map((week, index) => (known[index] === true ? numberOf(amounts.get(week) ?? 0n) : null));

  const warnings = new Set<string>();
  const spentOn = channelsInWindow(merged, { weeks, before, known });
  if (spentOn.some(({ weekly, spend }) => weekly && maybeWeekStart(spend.map(numberOf), y)))
    warnings.add('maybe_week_start');
  const finished = await readFinishedTests(read, assetId, target);
  const testedChannels = new Set(finished.map((test) => testedChannel(test) ?? ''));
  const channels = poolChannels(spentOn, testedChannels).map(({ slug, name, family, spend, before: earlier }) => ({
    slug,
    name,
    family,
    spend: spend.map(numberOf),
    before: earlier.map(numberOf),
  }));
  const testedDays = await readTestedDays(read, assetId, finished, currency);
  const tests = mixTests(finished, testedDays, channels, { weeks, currency, isCount: isCount(target) });
  for (const warning of tests.warnings) warnings.add(warning);
  const worth = isCount(target)
    ? await conversionValueIn(read, assetId, asset, currency, days)
    : { value: null, converted: true };
  if (!worth.converted) warnings.add('conversion_value_currency');
  return {
    target,
    isCount: isCount(target),
    weeks,
    y,
    channels,
    controls: mixControls(await readControls(read, assetId), weeks),
    tests: tests.tests,
    conversionValue: worth.value,
    averageOrderValue: isCount(target) ? null : averageOrderValue(weeks, y, events),
    currency,
    warnings: [...warnings].sort(),
    seed,
  };
}

async function readMapping(read: RowReader, assetId: string): Promise<ChannelMapping> {
  return channelMapping(
    await read<{ name: string; family: string }>(
      `SELECT name, family FROM imports.channel_mapping WHERE asset_id = $1 ORDER BY name COLLATE "C"`,
      [assetId],
    ),
  );
}
