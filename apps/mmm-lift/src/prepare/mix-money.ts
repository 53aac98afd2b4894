import { RunFailure } from '#contracts/modeling/run-state.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { byText } from './amount.js';
import type { ModelAsset } from './asset.js';
import { readCostWeeks, type CostWeek } from './cost-weeks.js';
import { exchangeInto, NO_EXCHANGE, type Exchange } from './exchange.js';
import type { CostChannel } from './merge-channels.js';
import type { OutcomeWeek } from './outcome-weeks.js';

/** The currency of a run, and how amounts get there. */
export interface RunMoney {
  currency: string;
  exchange: Exchange;
}

/** One currency for all amounts: the only one there is, else the asset's. */
export async function runMoney(
  read: RowReader,
  home: string,
  costs: readonly CostWeek[],
  outcome: readonly OutcomeWeek[],
): Promise<RunMoney> {
  const currencies = new Set([
    ...costs.filter(({ spend }) => signedMillionths(spend) !== 0n).map(({ currency }) => currency),
    ...outcome.filter(({ days }) => days > 0).map(({ currency }) => currency),
  ]);
  const [only = home, ...others] = currencies;
  if (others.length === 0) return { currency: only, exchange: NO_EXCHANGE };
  return { currency: home, exchange: await exchangeInto(read, home, currencies) };
}

/** @throws RunFailure mixed_currency for the first channel and currency, in byte order, that a rate is missing for */
export function requireRates(costs: readonly CostWeek[], channels: readonly CostChannel[]): void {
  const missing = costs.filter(({ unrated }) => unrated > 0);
  if (missing.length === 0) return;
  for (const { name, spellings } of channels) {
    const ofChannel = missing.filter(({ channel }) => spellings.has(channel));
    const [currency] = ofChannel.map((row) => row.currency).sort(byText);
    if (currency === undefined) continue;
    const rows = ofChannel.reduce((sum, row) => sum + (row.currency === currency ? row.unrated : 0), 0);
    throw new RunFailure('mixed_currency', { channel: name, currency, rows });
  }
}

/** @throws RunFailure mixed_currency, of no channel, when revenue lacks a rate; `rows` are days */
export function requireOutcomeRates(outcome: readonly OutcomeWeek[]): void {
  const missing = outcome.filter(({ unrated }) => unrated > 0);
  const [currency] = missing.map((row) => row.currency).sort(byText);
  if (currency === undefined) return;
  const rows = missing.reduce((sum, row) => sum + (row.currency === currency ? row.unrated : 0), 0);
  throw new RunFailure('mixed_currency', { channel: null, currency, rows });
}

/**
 * What a conversion is worth in the currency of the run. It is stated in the asset's; where all costs are in another one,
 * the rate is that of the days with spend, weighted by it.
 *
 * @returns null when it is not stated; with `converted` false when a rate is missing
 */
export async function conversionValueIn(
  read: RowReader,
  assetId: string,
  { currency: home, conversionValue }: ModelAsset,
  currency: string,
  range: { from: string; to: string },
): Promise<{ value: number | null; converted: boolean }> {
  if (conversionValue === null || currency === home) return { value: conversionValue, converted: true };
  const sum = (rows: readonly CostWeek[]): bigint =>
    rows.reduce((total, { spend }) => total + signedMillionths(spend), 0n);
  const own = await readCostWeeks(read, assetId, range, NO_EXCHANGE);
  const atHome = await readCostWeeks(read, assetId, range, await exchangeInto(read, home, [currency]));
  if (sum(atHome) === 0n || atHome.some(({ unrated }) => unrated > 0)) return { value: null, converted: false };
  return { value: (conversionValue * Number(sum(own))) / Number(sum(atHome)), converted: true };
}
