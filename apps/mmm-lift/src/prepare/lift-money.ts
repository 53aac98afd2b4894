import { RunFailure } from '#contracts/modeling/run-state.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { byText } from './amount.js';
import type { ModelAsset } from './asset.js';
import { exchangeInto, NO_EXCHANGE } from './exchange.js';
import { readSeries, type SeriesDay, type SeriesScope } from './lift-series.js';
import { spentIn, type SpentDay } from './tested-spend.js';

/** Outcome and spend of a test in one currency. */
export interface LiftMoney {
  currency: string;
  rows: SeriesDay[];
  /** Null: unknown, or no rate. */
  spent: SpentDay[] | null;
  conversionValue: number | null;
  warnings: string[];
}

/**
 * A target in one currency: its own if it has but one, else the asset's.
 *
 * @throws RunFailure mixed_currency, of no channel, when a day lacks a rate
 */
export async function seriesInOneCurrency(
  read: RowReader,
  scope: SeriesScope,
  target: string,
  home: string,
): Promise<{ rows: SeriesDay[]; currency: string | null }> {
  const rows = await readSeries(read, scope, target, { home, ...NO_EXCHANGE });
  const currencies = currenciesOf(rows);
  const [only = null, ...others] = currencies;
  if (others.length === 0) return { rows, currency: only };
  const converted = await readSeries(read, scope, target, { home, ...(await exchangeInto(read, home, currencies)) });
  const missing = converted.filter(({ unrated }) => unrated);
  const [currency] = missing.map((row) => row.currency).sort(byText);
  if (currency !== undefined) {
    const days = new Set(missing.filter((row) => row.currency === currency).map(({ day }) => day));
    throw new RunFailure('mixed_currency', { channel: null, currency, rows: days.size });
  }
  return { rows: converted, currency: home };
}

/**
 * One currency for outcome, spend and the value of a conversion: the only one there is, else the asset's. Spend without a
 * rate is unknown, with the warning `spend_currency`; a conversion value without one, with `conversion_value_currency`.
 */
export async function liftMoney(
  read: RowReader,
  scope: SeriesScope,
  metric: string,
  { currency: home, conversionValue }: ModelAsset,
  spent: SpentDay[] | null,
): Promise<LiftMoney> {
  const outcome = await seriesInOneCurrency(read, scope, metric, home);
  const ofSpend = [...new Set((spent ?? []).filter(({ amount }) => amount > 0n).map(({ currency }) => currency))];
  const single = new Set([...(outcome.currency === null ? [] : [outcome.currency]), ...ofSpend]);
  if (single.size <= 1) {
    const [currency = home] = single;
    const value = outcome.currency === null ? await valueIn(read, currency, home, conversionValue, spent ?? []) : null;
    const lost = outcome.currency === null && conversionValue !== null && value === null;
    return {
      currency,
      rows: outcome.rows,
      spent,
      conversionValue: value,
      warnings: lost ? ['conversion_value_currency'] : [],
    };
  }
  // All in the asset's currency, or the outcome alone in its own.
  const atHome =
    outcome.currency === null || outcome.currency === home ? outcome.rows : await rowsAtHome(read, scope, metric, home);
  const converted = atHome === null ? null : await spentIn(read, home, spent ?? []);
  return {
    currency: atHome === null ? (outcome.currency ?? home) : home,
    rows: atHome ?? outcome.rows,
    spent: converted,
    conversionValue,
    warnings: converted === null ? ['spend_currency'] : [],
  };
}

/** Null when a rate is missing. */
async function rowsAtHome(
  read: RowReader,
  scope: SeriesScope,
  metric: string,
  home: string,
): Promise<SeriesDay[] | null> {
  const native = await readSeries(read, scope, metric, { home, ...NO_EXCHANGE });
  const exchange = await exchangeInto(read, home, currenciesOf(native));
  const rows = await readSeries(read, scope, metric, { home, ...exchange });
  return rows.some(({ unrated }) => unrated) ? null : rows;
}

/** The value of a conversion, stated in the asset's currency, at the rates of the days with spend, weighted by it. */
async function valueIn(
  read: RowReader,
  currency: string,
  home: string,
  conversionValue: number | null,
  spent: readonly SpentDay[],
): Promise<number | null> {
  if (conversionValue === null || currency === home) return conversionValue;
  const sum = (days: readonly SpentDay[]): number => Number(days.reduce((total, { amount }) => total + amount, 0n));
  const atHome = await spentIn(read, home, spent);
  return atHome === null || sum(atHome) === 0 ? null : (conversionValue * sum(spent)) / sum(atHome);
}

function currenciesOf(rows: readonly SeriesDay[]): string[] {
  const some = rows.filter(({ value, organic }) => signedMillionths(value) !== 0n || signedMillionths(organic) !== 0n);
  return [...new Set(some.map(({ currency }) => currency))].filter((currency) => currency !== '').sort(byText);
}
