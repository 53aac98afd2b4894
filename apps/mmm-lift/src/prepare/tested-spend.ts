import { channelKey } from '#contracts/channels/channel-key.js';
import { isWeekly, spreadCosts } from '#contracts/costs/weekly-spread.js';
import type { LiftRequest } from '#contracts/modeling/lift-test.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { byText } from './amount.js';
import { daysFromTo } from './calendar.js';
import { costRowsSql } from './cost-weeks.js';
import { exchangeInto, exchangeSql } from './exchange.js';

/** Money spent on a day of the test. */
export interface SpentDay {
  day: string;
  currency: string;
  /** Millionths. */
  amount: bigint;
}

/** Costs of a channel on a day. */
export interface ChannelDay {
  channel: string;
  day: string;
  currency: string;
  /** Of the tested campaigns; null when none of the rows is of one. A decimal number. */
  spend: string | null;
}

type Tested = Pick<LiftRequest, 'channels' | 'campaigns' | 'spend' | 'geo_level' | 'test_from' | 'test_to'>;

/** Costs of a channel say nothing of a test in some places, unless its campaigns are named. */
export function isSpendKnown({ spend, geo_level: level, campaigns }: Tested): boolean {
  return spend !== null || level === null || campaigns.length > 0;
}

/**
 * What a test spent by day, in whatever currencies: the amount of the request, spread evenly; else the cost rows of its
 * channels, and campaigns if named.
 *
 * @returns null when there are no such rows
 */
export async function testedSpend(read: RowReader, assetId: string, test: Tested): Promise<SpentDay[] | null> {
  if (test.spend !== null) return spreadEvenly(test.spend, daysFromTo(test.test_from, test.test_to));
  return spentOf(await readChannelDays(read, assetId, test), test);
}

/** Millionths that don't divide go to the first days. */
function spreadEvenly({ amount, currency }: { amount: string; currency: string }, days: readonly string[]): SpentDay[] {
  const total = signedMillionths(amount);
  const count = BigInt(days.length);
  return days.map((day, index) => ({
    day,
    currency,
    amount: total / count + (BigInt(index) < total % count ? 1n : 0n),
  }));
}

/**
 * Costs of the days of a test. Whether a channel is weekly is seen in all of its rows, of other campaigns and times too;
 * rows of a weekly channel stand for the week they fall into.
 *
 * @returns null when no row is of the tested campaigns: that they cost nothing is not known then
 */
export function spentOf(rows: readonly ChannelDay[], { test_from: from, test_to: to }: Tested): SpentDay[] | null {
  if (rows.every(({ spend }) => spend === null)) return null;
  const byChannel = new Map<string, ChannelDay[]>();
  for (const row of [...rows].sort((a, b) => byText(a.day, b.day))) {
    const key = channelKey(row.channel);
    const group = byChannel.get(key);
    if (group === undefined) byChannel.set(key, [row]);
    else group.push(row);
  }
  const spent = new Map<string, SpentDay>();
  for (const [channel, group] of byChannel) {
    const weekly = isWeekly(group.map(({ day }) => day));
    const costs = group.flatMap(({ day, currency, spend }) =>
      spend === null ? [] : [{ channel, day, currency, spend }],
    );
    for (const { day, currency, spend } of spreadCosts(costs, weekly ? 'weekly' : 'daily', () => 0)) {
      if (day < from || day > to) continue;
      const key = `${day} ${currency}`;
      spent.set(key, { day, currency, amount: (spent.get(key)?.amount ?? 0n) + signedMillionths(spend) });
    }
  }
  return [...spent].sort(([a], [b]) => byText(a, b)).map(([, one]) => one);
}

async function readChannelDays(read: RowReader, assetId: string, test: Tested): Promise<ChannelDay[]> {
  const keys = new Set(test.channels.map(channelKey));
  const known = await read<{ channel: string }>(`SELECT DISTINCT channel FROM imports.cost_row WHERE asset_id = $1`, [
    assetId,
  ]);
  const names = known.map(({ channel }) => channel).filter((channel) => keys.has(channelKey(channel)));
  return read<ChannelDay>(
    `SELECT channel, to_char(date, 'YYYY-MM-DD') AS day, currency,
            (sum(cost) FILTER (WHERE cardinality($3::text[]) = 0 OR campaign = ANY($3)))::text AS spend
       FROM (${costRowsSql('channel, date, currency, campaign, cost', 'channel = ANY($2::text[])')}) AS cost
      GROUP BY channel, date, currency`,
    [assetId, names, test.campaigns],
  );
}

/** The amounts in one currency, each at the rate of its day; null when a rate is missing. */
export async function spentIn(
  read: RowReader,
  currency: string,
  spent: readonly SpentDay[],
): Promise<SpentDay[] | null> {
  const others = spent.filter((one) => one.currency !== currency && one.amount > 0n).map((one) => one.currency);
  if (others.length === 0) return spent.map((one) => ({ ...one, currency }));
  const { into, common } = await exchangeInto(read, currency, others);
  const { factor, joins } = exchangeSql({ currency: 's.currency', day: 's.day' }, { into: '$4', common: '$5::text' });
  const rows = await read<{ converted: string | null }>(
    `SELECT round(s.amount * ${factor}, 6)::text AS converted
       FROM unnest($1::date[], $2::text[], $3::numeric[]) WITH ORDINALITY AS s (day, currency, amount, place) ${joins}
      ORDER BY s.place`,
    [
      spent.map(({ day }) => day),
      spent.map((one) => one.currency),
      spent.map(({ amount }) => `${amount}e-6`),
      into,
      common,
    ],
  );
  const converted = spent.map(({ day, amount }, index) => {
    const row = rows[index]?.converted ?? null;
    return amount > 0n && row === null ? null : { day, currency, amount: signedMillionths(row ?? '0') };
  });
  return converted.every((one) => one !== null) ? converted : null;
}
