import { isCount } from '#contracts/modeling/target.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import type { MixInput } from '../mmm/mix-input.js';
import { numberOf } from './amount.js';
import { readAsset } from './asset.js';
import { addDays } from './calendar.js';
import { mixControls, readControls } from './mix-controls.js';
import { conversionValueIn } from './mix-money.js';
import { mixOutcome, targetIn } from './mix-outcome.js';
import { mixSpend } from './mix-spend.js';
import { mixTests, readFinishedTests, readTestedDays, testedChannel } from './mix-tests.js';
import { averageOrderValue } from './outcome-weeks.js';
import { poolChannels } from './pool-channels.js';
import { maybeWeekStart } from './week-start.js';

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
  const counts = isCount(target);
  const asset = await readAsset(read, assetId);
  const outcome = await mixOutcome(read, run, asset);
  const { weeks, first, last, events } = outcome;
  const {
    channels: spentOn,
    currency,
    exchange,
  } = await mixSpend(read, assetId, asset, outcome, counts ? [] : outcome.rows);
  const y = await targetIn(read, run, outcome, asset, exchange);
  const finished = await readFinishedTests(read, assetId, target);
  const channels = poolChannels(spentOn, new Set(finished.flatMap((test) => testedChannel(test) ?? []))).map(
    ({ slug, name, family, spend, before }) => ({
      slug,
      name,
      family,
      spend: spend.map(numberOf),
      before: before.map(numberOf),
    }),
  );
  const testedDays = await readTestedDays(read, assetId, finished, currency);
  const { tests, warnings } = mixTests(finished, testedDays, channels, { weeks, currency, isCount: counts });
  if (spentOn.some(({ weekly, spend }) => weekly && maybeWeekStart(spend.map(numberOf), y)))
    warnings.push('maybe_week_start');
  const worth = counts
    ? await conversionValueIn(read, assetId, asset, currency, { from: addDays(first, -6), to: last })
    : { value: null, converted: true };
  if (!worth.converted) warnings.push('conversion_value_currency');
  return {
    target,
    isCount: counts,
    weeks,
    y,
    channels,
    controls: mixControls(await readControls(read, assetId), weeks),
    tests,
    conversionValue: worth.value,
    averageOrderValue: counts ? null : averageOrderValue(weeks, y, events),
    currency,
    warnings: warnings.sort(),
    seed,
  };
}
