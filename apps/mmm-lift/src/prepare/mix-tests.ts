import { channelKey } from '#contracts/channels/channel-key.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { signedMillionths } from '#contracts/costs/millionths.js';
import type { MixInputTest } from '../mmm/mix-input.js';
import { byText, numberOf } from './amount.js';
import { sundayOf, weeksBetween } from './calendar.js';
import { exchangeInto, exchangeSql, NO_EXCHANGE } from './exchange.js';

/** 90 % of a normal distribution lie within this many standard deviations. */
const INTERVAL_WIDTH = 3.29;
/** Tested spend adds up the same rows as the channel's spend, but in doubles. */
const ROUNDING = 1e-9;

/** A finished test that a model could learn from. */
export interface FinishedTest {
  testId: string;
  channels: string[];
  /** Money of the test. */
  currency: string | null;
  testTo: string;
  tailDays: number;
  liftTotal: number;
  liftLo: number;
  liftHi: number;
  spendTotal: number;
}

/** What a test spent on a day: as it was, and in the currency of the run, null without a rate. */
export interface TestedDay {
  testId: string;
  day: string;
  spent: string;
  converted: string | null;
}

/** Finished tests of a target with known spend and some trust, in no order. */
export async function readFinishedTests(read: RowReader, assetId: string, target: string): Promise<FinishedTest[]> {
  return read<FinishedTest>(
    `SELECT t.test_id AS "testId", t.channels, r.currency, to_char(r.test_to, 'YYYY-MM-DD') AS "testTo",
            r.tail_days AS "tailDays", r.lift_total AS "liftTotal", r.lift_lo AS "liftLo", r.lift_hi AS "liftHi",
            r.spend_window AS "spendTotal"
       FROM modeling.lift_test t JOIN modeling.lift_result r USING (asset_id, test_id)
      WHERE t.asset_id = $1 AND t.metric = $2 AND t.status = 'succeeded' AND r.trust_tier <> 'insufficient'
        AND r.spend_window > 0`,
    [assetId, target],
  );
}

const { factor, joins } = exchangeSql({ currency: 's.currency', day: 's.day' }, { into: '$3', common: '$4::text' });

/** What the tests spent by day; a stored day holds the sum up to it. */
export async function readTestedDays(
  read: RowReader,
  assetId: string,
  tests: readonly FinishedTest[],
  currency: string,
): Promise<TestedDay[]> {
  const currencies = tests.flatMap((test) =>
    test.currency === null || test.currency === currency ? [] : [test.currency],
  );
  const { common } = currencies.length === 0 ? NO_EXCHANGE : await exchangeInto(read, currency, currencies);
  return read<TestedDay>(
    `WITH s AS (
       SELECT d.test_id, d.day, r.currency, round((d.spend_window
              - coalesce(lag(d.spend_window) OVER (PARTITION BY d.test_id ORDER BY d.day), 0))::numeric, 6) AS spent
         FROM modeling.lift_day d JOIN modeling.lift_result r USING (asset_id, test_id)
        WHERE d.asset_id = $1 AND d.test_id = ANY($2::uuid[]) AND d.spend_window IS NOT NULL)
     SELECT s.test_id AS "testId", to_char(s.day, 'YYYY-MM-DD') AS day, s.spent::text, round(s.spent * ${factor}, 6)::text AS converted
       FROM s ${joins} WHERE s.spent > 0`,
    [assetId, tests.map(({ testId }) => testId), currency, common],
  );
}

/** The channel of a test of one channel, under whatever names. */
export function testedChannel({ channels }: { channels: readonly string[] }): string | undefined {
  const [channel, ...others] = new Set(channels.map(channelKey));
  return others.length === 0 ? channel : undefined;
}

/**
 * Tests as observations of the model (design, 4.4). A test counts when most of what it spent lies in the window; the model
 * compares returns per unit of spend, so the days that stick out do little harm.
 *
 * @param channels with their spend by week of the window
 * @param currency of the run
 * @returns by channel, first week and id
 */
export function mixTests(
  tests: readonly FinishedTest[],
  days: readonly TestedDay[],
  channels: readonly { slug: string; spend: readonly number[] }[],
  { weeks, currency, isCount }: { weeks: readonly string[]; currency: string | null; isCount: boolean },
): { tests: MixInputTest[]; warnings: string[] } {
  const [first] = weeks;
  const used: MixInputTest[] = [];
  const warnings = new Set<string>();
  if (first === undefined) return { tests: used, warnings: [] };
  const spendOf = new Map(channels.map(({ slug, spend }) => [slug, spend]));
  for (const test of tests) {
    const channel = testedChannel(test) ?? '';
    const spend = spendOf.get(channel);
    if (spend === undefined) continue;
    const own = days.filter(({ testId }) => testId === test.testId).sort((a, b) => byText(a.day, b.day));
    const sameMoney = test.currency === currency;
    let total = 0n;
    let inside = 0n;
    let unrated = false;
    const byWeek = weeks.map(() => 0n);
    for (const { day, spent, converted } of own) {
      const amount = signedMillionths((sameMoney ? spent : converted) ?? spent);
      unrated ||= !sameMoney && converted === null;
      total += amount;
      const week = weeksBetween(first, sundayOf(day));
      if (week < 0 || week >= weeks.length) continue;
      inside += amount;
      byWeek[week] = (byWeek[week] ?? 0n) + amount;
    }
    if (2n * inside <= total) continue;
    if (unrated) {
      warnings.add('test_currency');
      continue;
    }
    const tested = byWeek.map((amount, week) => share(numberOf(amount), spend[week] ?? 0));
    if (tested.some((one) => one > 1 + ROUNDING)) warnings.add('test_spend_exceeds_channel');
    const from = byWeek.findIndex((amount) => amount > 0n);
    // Money of a revenue target is converted along with the spend, so its return stays what it was.
    const per = isCount && !sameMoney ? numberOf(total) : test.spendTotal;
    const value = test.liftTotal / per;
    const se = (test.liftHi - test.liftLo) / INTERVAL_WIDTH / per;
    if (!tested.some((one, week) => one > 0 && (spend[week] ?? 0) > 0) || !(se > 0)) continue;
    used.push({
      testId: test.testId,
      channel,
      from,
      to: Math.min(weeksBetween(first, sundayOf(test.testTo)) + Math.ceil(test.tailDays / 7), weeks.length - 1),
      tested: tested.map((one) => Math.min(one, 1)),
      value,
      se,
    });
  }
  used.sort((a, b) => byText(a.channel, b.channel) || a.from - b.from || byText(a.testId ?? '', b.testId ?? ''));
  return { tests: used, warnings: [...warnings].sort() };
}

function share(tested: number, spend: number): number {
  if (tested === 0) return 0;
  return spend > 0 ? tested / spend : Infinity;
}
