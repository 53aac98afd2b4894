import { dayNumber, dayText } from '#contracts/calendar-day.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readConsent } from '#contracts/collect/consent-record.js';
import { readEvent } from '#contracts/collect/event-record.js';
import { readIdentity } from '#contracts/collect/identity-record.js';
import { localDay } from '#contracts/local-day.js';
import { BOT_PREFIXES } from './bots.js';
import { LocalDays, weekday } from './calendar.js';
import { PAID_CHANNELS } from './channels.js';
import { spendOf } from './demand.js';
import { demoShop, type DemoShopOptions } from './demo-shop.js';
import { EXPERIMENT, newestExperiment } from './experiment.js';
import type { DayRecords, ShopConsent, ShopEvent, ShopIdentity } from './records.js';

const BERLIN = { seed: 1, until: '2026-04-12', weeks: 13, timezone: 'Europe/Berlin', currency: 'EUR' };
const NOW = new Date('2026-04-13T00:00:00Z');
const SHORT = { ...BERLIN, weeks: 1 };

const days = (options: DemoShopOptions): DayRecords[] => [...demoShop(options).days()];
const eventsOf = (options: DemoShopOptions): ShopEvent[] => days(options).flatMap(({ events }) => events);
const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

describe('the demo shop', () => {
  let events: ShopEvent[];
  let consents: ShopConsent[];
  let identities: ShopIdentity[];

  beforeAll(() => {
    const all = days(BERLIN);
    events = all.flatMap((day) => day.events);
    consents = all.flatMap((day) => day.consents);
    identities = all.flatMap((day) => day.identities);
  });

  it.each([{ seed: 0 }, { seed: 1.5 }, { seed: 2_147_483_648 }, { weeks: 0 }, { weeks: 261 }, { weeks: NaN }])(
    'can not be made of %j',
    (wrong) => {
      expect(() => demoShop({ ...SHORT, ...wrong })).toThrow(RangeError);
    },
  );

  it('is the same for the same seed, byte for byte, and another one for another seed', async () => {
    const [first, second, other] = await Promise.all(
      [SHORT, { ...SHORT }, { ...SHORT, seed: 2 }].map(async (options) => ({
        records: digest(days(options)),
        costs: await demoShop(options).costs(),
      })),
    );
    expect(second).toEqual(first);
    expect(other!.records).not.toBe(first!.records);
    expect(other!.costs).not.toBe(first!.costs);
  });

  it('shares no id with the shop of another seed', () => {
    const ids = new Set(eventsOf(SHORT).flatMap((event) => [event.event_id, event.distinct_id]));
    const others = eventsOf({ ...SHORT, seed: 2 }).flatMap((event) => [event.event_id, event.distinct_id]);
    expect(others.filter((id) => ids.has(id))).toEqual([]);
  });

  it('gains a day when it is made again a day later, and the days before stay as they were', async () => {
    const later = { ...SHORT, until: '2026-04-13' };
    const common = (all: DayRecords[]): DayRecords[] =>
      all.filter(({ day }) => day > '2026-04-06' && day < '2026-04-12');
    expect(common(days(later))).toEqual(common(days(SHORT)));
    const rows = (text: string): string[] => text.split('\n').filter((row) => row > '2026-04-07' && row < '2026-04-13');
    expect(rows(await demoShop(later).costs())).toEqual(rows(await demoShop(SHORT).costs()));
  });

  it.each([1, 2])('has about 200,000 events in 13 weeks with seed %i', (seed) => {
    const count = seed === 1 ? events.length : eventsOf({ ...BERLIN, seed }).length;
    expect(count).toBeGreaterThan(180_000);
    expect(count).toBeLessThan(225_000);
  });

  it('has costs and orders of the weeks before, the same that a longer shop has', async () => {
    const shop = demoShop({ ...SHORT, historyWeeks: 2 });
    const orders = [...shop.history()].flatMap((day) => day.events);
    expect(orders.length).toBeGreaterThan(200);
    expect(orders.every(({ event_type, event_name }) => event_type === 'conversion' || event_name === 'refund')).toBe(
      true,
    );
    const longer = eventsOf({ ...SHORT, weeks: 3 });
    const inHistory = longer.filter(
      ({ event_time }) => Date.parse(event_time) < Date.parse(`${shop.from}T00:00+02:00`),
    );
    expect(orders.map(({ event_id }) => event_id).sort()).toEqual(
      inHistory
        .filter(({ event_type, event_name }) => event_type === 'conversion' || event_name === 'refund')
        .map(({ event_id }) => event_id)
        .sort(),
    );
    expect(await shop.costs()).toBe(await demoShop({ ...SHORT, weeks: 3 }).costs());
    expect([...shop.truth.values()].reduce((sum, count) => sum + count, 0)).toBe(
      orders.filter(({ event_type }) => event_type === 'conversion').length,
    );
  });

  it('can not have more weeks in all than a model takes', () => {
    expect(() => demoShop({ ...SHORT, historyWeeks: 260 })).toThrow(RangeError);
  });

  it('has a lift test: more visits of one country by one campaign, which costs something', async () => {
    const { from, to } = newestExperiment('2026-04-13');
    const shop = demoShop({ ...SHORT, until: to, weeks: 4 });
    const tested = [...shop.days()]
      .flatMap((day) => day.events)
      .filter((one) => one.lt_campaign === EXPERIMENT.campaign);
    expect(new Set(tested.map(({ geo_country }) => geo_country))).toEqual(new Set([EXPERIMENT.country]));
    const rows = (await shop.costs()).split('\n').filter((row) => row.includes(`,${EXPERIMENT.campaign},`));
    expect([rows.length, rows[0]?.slice(0, 10), rows.at(-1)?.slice(0, 10)]).toEqual([EXPERIMENT.days, from, to]);
  });

  it.each(['Europe/Berlin', 'Pacific/Auckland'])(
    'fills exactly the days of its range in %s, in the order of time',
    (timezone) => {
      const shop = demoShop({ ...BERLIN, weeks: 3, timezone });
      expect([shop.from, shop.to]).toEqual(['2026-03-23', '2026-04-12']);
      const times = [...shop.days()].flatMap((day) => day.events.map((event) => Date.parse(event.event_time)));
      const local = new LocalDays(timezone);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(local.start(dayNumber(shop.from)));
      expect(Math.max(...times)).toBeLessThan(local.start(dayNumber(shop.to) + 1));
      const seen = new Set(times.filter((_, index) => index % 20 === 0).map((at) => localDay(timezone, new Date(at))));
      expect(seen.size).toBe(21);
    },
  );

  it('has no record that would be refused or loses its address, and no id twice', () => {
    const checked = [
      ...events.map((event) => readEvent(event, NOW)),
      ...consents.map((consent) => readConsent(consent, NOW)),
      ...identities.map((identity) => readIdentity(identity, NOW)),
    ];
    expect(checked.filter((one) => 'issue' in one || one.ipDropped)).toEqual([]);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
    expect(new Set(consents.map(({ consent_id }) => consent_id)).size).toBe(consents.length);
  });

  const isOfBot = ({ ip }: { ip?: string | null }): boolean =>
    ip != null && BOT_PREFIXES.some((prefix) => ip.startsWith(`${prefix}.`));

  it('gives people only addresses that are kept for documentation', () => {
    const people = [...events, ...consents].filter((one) => !isOfBot(one));
    const addresses = people.flatMap(({ ip }) => (ip == null ? [] : [ip]));
    expect(addresses.length).toBeGreaterThan(events.length / 2);
    expect(addresses.filter((ip) => !/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$|^2001:db8:/.test(ip))).toEqual([]);
  });

  it('has bots from networks of hosters, a few percent of all, who buy nothing', () => {
    const ofBots = events.filter(isOfBot);
    expect(ofBots.length).toBeGreaterThan(0.025 * events.length);
    expect(ofBots.length).toBeLessThan(0.06 * events.length);
    expect(ofBots.filter(({ event_type }) => event_type === 'conversion')).toEqual([]);
    for (const prefix of BOT_PREFIXES) {
      const networks = ofBots.filter(({ ip }) => ip?.startsWith(`${prefix}.`)).map(({ ip }) => ip?.split('.')[2]);
      expect(networks.length).toBeGreaterThan(200);
      expect(new Set(networks).size).toBeLessThan(25);
    }
  });

  it('sleeps at night and is busier on Sundays than on Wednesdays', () => {
    const hours = new Array<number>(24).fill(0);
    const weekdays = new Array<number>(7).fill(0);
    for (const { event_time } of events.filter((event) => !isOfBot(event))) {
      hours[Number(event_time.slice(11, 13))]!++;
      weekdays[weekday(dayNumber(event_time.slice(0, 10)))]!++;
    }
    // In UTC, one or two hours behind Berlin.
    expect(hours[19]!).toBeGreaterThan(15 * hours[2]!);
    expect(weekdays[6]!).toBeGreaterThan(1.12 * weekdays[2]!);
  });

  it('brings people of a channel when money is spent on it, and fewer when it pauses, not at once', () => {
    const tiktok = PAID_CHANNELS.find(({ channel }) => channel === 'TikTok')!;
    const newcomers = new Map<string, Set<string>>();
    for (const { event_time, distinct_id, lt_channel } of events) {
      const day = event_time.slice(0, 10);
      if (lt_channel === 'TikTok') newcomers.set(day, (newcomers.get(day) ?? new Set()).add(distinct_id));
    }
    const mean = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    const visitors = (pick: (day: number) => boolean): number => {
      const picked = Array.from({ length: 91 }, (_, ago) => dayNumber(BERLIN.until) - ago).filter(pick);
      return mean(picked.map((day) => newcomers.get(dayText(day))?.size ?? 0));
    };
    const paused = (day: number): boolean => spendOf(1, tiktok, day) === 0;
    const running = visitors((day) => !paused(day));
    const firstDays = visitors((day) => paused(day) && !paused(day - 2));
    const lastDays = visitors((day) => paused(day) && !paused(day + 2));
    expect(lastDays).toBeLessThan(0.6 * running);
    expect(firstDays).toBeGreaterThan(lastDays);
    expect(lastDays).toBeGreaterThan(0);
  });

  it('has people who come back, who log in later and who use several devices', () => {
    const named = new Map<string, Set<string>>();
    const unnamedFirst = new Set<string>();
    const seenUnnamed = new Set<string>();
    for (const { distinct_id, global_user_id } of events) {
      if (global_user_id == null) seenUnnamed.add(distinct_id);
      else {
        if (seenUnnamed.has(distinct_id)) unnamedFirst.add(distinct_id);
        named.set(global_user_id, (named.get(global_user_id) ?? new Set()).add(distinct_id));
      }
    }
    expect(unnamedFirst.size).toBeGreaterThan(1_000);
    expect([...named.values()].filter((devices) => devices.size > 1).length).toBeGreaterThan(100);
    const visitorDays = new Set(events.map(({ distinct_id, event_time }) => distinct_id + event_time.slice(0, 10)));
    expect(visitorDays.size).toBeGreaterThan(1.3 * new Set(events.map(({ distinct_id }) => distinct_id)).size);
  });

  it('tells of every login: before it the person is known to nobody, afterwards by name', () => {
    const firstNamed = new Map<string, string>();
    for (const { distinct_id, global_user_id, event_time } of events) {
      const key = `${distinct_id} ${global_user_id}`;
      if (global_user_id != null && !firstNamed.has(key)) firstNamed.set(key, event_time);
    }
    expect(identities.length).toBeGreaterThan(1_000);
    for (const { global_user_id, distinct_ids, first_seen_at, identified_at } of identities) {
      expect(first_seen_at! < identified_at!).toBe(true);
      const named = firstNamed.get(`${distinct_ids![0]} ${global_user_id}`);
      if (named !== undefined) expect(named >= identified_at!).toBe(true);
    }
  });

  it('sells for money in its currency, takes some of it back, and no order twice', () => {
    const sold = events.filter(({ event_name }) => event_name === 'purchase');
    expect(new Set(sold.map(({ event_type }) => event_type))).toEqual(new Set(['conversion']));
    expect(sold.length).toBeGreaterThan(800);
    expect(sold.every(({ value, currency }) => Number(value) > 0 && currency === 'EUR')).toBe(true);
    const refunds = events.filter(({ event_name }) => event_name === 'refund');
    expect(refunds.length).toBeGreaterThan(20);
    const amounts = new Set(sold.map(({ distinct_id, value }) => `${distinct_id} -${value}`));
    const unknown = refunds.filter(({ distinct_id, value }) => !amounts.has(`${distinct_id} ${value}`));
    // Bought before the range began.
    expect(unknown.length).toBeLessThan(0.2 * refunds.length);
  });

  it('asks for consent in several languages, and respects a refusal', () => {
    expect(new Set(consents.map(({ action }) => action))).toEqual(new Set(['accept', 'reject', 'update']));
    expect(new Set(consents.map(({ locale }) => locale)).size).toBeGreaterThan(10);
    for (const { accepted, rejected } of consents) expect([...accepted!, ...rejected!]).toHaveLength(4);
    const last = new Map(consents.map((consent) => [consent.distinct_id, consent]));
    const followed = events.filter(({ distinct_id, event_time, geo_city }) => {
      const consent = last.get(distinct_id);
      return geo_city !== undefined && consent?.action === 'reject' && event_time > consent.consent_at;
    });
    expect(followed).toEqual([]);
  });
});
