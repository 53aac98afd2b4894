import { dayNumber, dayText } from '../calendar-day.js';
import { decimalText, millionths } from './millionths.js';

/** What cost imports are taken for: `auto` decides by channel. */
export type CostGranularity = 'auto' | 'daily' | 'weekly';

/** Cost on one day; several of one channel, day and currency (sources, campaigns) add up. */
export interface CostDay {
  channel: string;
  /** `YYYY-MM-DD` */
  day: string;
  currency: string;
  /** A decimal number of at most six digits behind the point, not negative. */
  spend: string;
}

/** The weight of a day within its week, for example its paid sessions: an integer, not negative. */
export type DayWeight = (channel: string, day: string) => number;

/**
 * Spend per channel, day and currency. The rows of a weekly channel are spread over the Monday-to-Sunday week they fall
 * into by `weight`, evenly if all seven weights are 0. Sums stay equal to the sixth decimal: what rounding down leaves goes
 * to the largest remainders, of equal ones to the earliest days.
 *
 * @param rows all cost rows of the channels, of all times: whether a channel is weekly is seen in all of them
 * @returns days with spend above 0, by channel, currency and day; at least two decimals, no trailing zeros beyond
 */
export function spreadCosts(rows: Iterable<CostDay>, granularity: CostGranularity, weight: DayWeight): CostDay[] {
  const channels = new Map<string, CostDay[]>();
  for (const row of rows) {
    const known = channels.get(row.channel);
    if (known === undefined) channels.set(row.channel, [row]);
    else known.push(row);
  }
  const spread: CostDay[] = [];
  for (const [channel, costs] of [...channels].sort(byKey)) {
    const weekly = granularity === 'weekly' || (granularity === 'auto' && isWeekly(costs.map(({ day }) => day)));
    const sums = new Map<string, Map<number, bigint>>();
    for (const { currency, day, spend } of costs) {
      const days = sums.get(currency) ?? new Map<number, bigint>();
      sums.set(currency, days);
      const at = weekly ? mondayOf(dayNumber(day)) : dayNumber(day);
      days.set(at, (days.get(at) ?? 0n) + millionths(spend));
    }
    for (const [currency, days] of [...sums].sort(byKey)) {
      for (const [at, amount] of [...days].sort(([a], [b]) => a - b)) {
        const parts = weekly ? shares(amount, weekWeights(channel, at, weight)) : [amount];
        parts.forEach((part, index) => {
          if (part > 0n) spread.push({ channel, day: dayText(at + index), currency, spend: decimal(part) });
        });
      }
    }
  }
  return spread;
}

/**
 * Whether rows of these days are weekly: all on one day of the week and two of them a week apart. A week without a row is
 * a week without spend; one row alone says nothing and counts as a day.
 */
export function isWeekly(days: readonly string[]): boolean {
  const numbers = [...new Set(days)].map(dayNumber).sort((a, b) => a - b);
  const gaps = numbers.slice(1).map((day, index) => day - (numbers[index] ?? day));
  return gaps.includes(7) && gaps.every((gap) => gap % 7 === 0);
}

function weekWeights(channel: string, monday: number, weight: DayWeight): bigint[] {
  const weights = Array.from({ length: 7 }, (_, index) => BigInt(weight(channel, dayText(monday + index))));
  return weights.every((one) => one === 0n) ? weights.map(() => 1n) : weights;
}

/** Splits an amount by weights that are not all 0: largest remainder. */
function shares(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, one) => sum + one, 0n);
  const parts = weights.map((one, index) => ({
    index,
    floor: (amount * one) / total,
    remainder: (amount * one) % total,
  }));
  const left = Number(amount - parts.reduce((sum, { floor }) => sum + floor, 0n));
  const lucky = new Set(
    [...parts]
      .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1))
      .slice(0, left)
      .map(({ index }) => index),
  );
  return parts.map(({ index, floor }) => floor + (lucky.has(index) ? 1n : 0n));
}

function decimal(amount: bigint): string {
  return decimalText(amount).replace(/0{1,4}$/, '');
}

/** 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
