import { dayNumber, dayText } from '#contracts/calendar-day.js';
import { bots } from './bots.js';
import { LocalDays } from './calendar.js';
import { costFile } from './cost-file.js';
import { broughtBy, newPeople } from './people.js';
import { LONGEST_STAY_DAYS, planVisits } from './plan-visits.js';
import type { DayRecords, ShopEvent } from './records.js';
import { recordVisit } from './visit-records.js';
import type { Visit } from './visits.js';

export const HIGHEST_SEED = 2_147_483_647;
/** As many as a mix model takes. */
export const MOST_WEEKS = 260;

export interface DemoShopOptions {
  /** Another number, another shop; a whole number from 1. */
  seed: number;
  /** Last day, `YYYY-MM-DD`. */
  until: string;
  /** How many weeks end on it. */
  weeks: number;
  /** Weeks before those, of which only spend and orders are known: what a mix model needs. Default 0. */
  historyWeeks?: number;
  /** IANA name; the days and hours of the shop. */
  timezone: string;
  currency: string;
}

export interface DemoShop {
  /** First and last day, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Advertising costs by day, history included, as `POST /api/v1/cost-import` takes them. */
  costs(): Promise<string>;
  /** Of `days()`. */
  dayCount: number;
  /** Everything that is collected, made while it is read: about 2,200 events a day. */
  days(): Generator<DayRecords>;
  /** Conversions and refunds of the weeks before, as an old order system knows them. */
  history(): Generator<DayRecords>;
  /** Conversions of people by the channel that brought them first ('' for none), in all records that were made so far. */
  truth: ReadonlyMap<string, number>;
}

/** A source of traffic: the visits that begin on a day. It is asked for one day after the other. */
type Traffic = (day: number) => Visit[];

/**
 * A shop that never was. What happens on a day follows from the seed and that day alone (and the time zone and
 * currency), so that windows of the same seed overlap exactly: loaded again tomorrow, it gains a day.
 *
 * @throws RangeError with a sentence when seed or weeks are out of their range
 */
export function demoShop(options: DemoShopOptions): DemoShop {
  const { seed, until, weeks, historyWeeks = 0, timezone, currency } = options;
  requireWhole('seed', seed, HIGHEST_SEED);
  requireWhole('weeks', weeks, MOST_WEEKS);
  if (historyWeeks !== 0) requireWhole('history', historyWeeks, MOST_WEEKS - weeks);
  const last = dayNumber(until);
  const first = last - weeks * 7 + 1;
  const oldest = first - historyWeeks * 7;
  const localDays = new LocalDays(timezone);
  const truth = new Map<string, number>();
  return {
    truth,
    from: dayText(first),
    to: until,
    costs: () => costFile(seed, oldest, last, currency),
    dayCount: last - first + 2,
    days() {
      const traffic = [shoppers(seed, first - 1, localDays), bots(seed, localDays)];
      return recordDays({ first, last, seed, currency, localDays, traffic, truth });
    },
    *history() {
      const traffic = [ordersOnly(shoppers(seed, oldest - 1, localDays))];
      const days = recordDays({ first: oldest, last: first - 1, seed, currency, localDays, traffic, truth });
      for (const { day, events } of days)
        yield { day, events: events.filter(isOfOrderSystem), consents: [], identities: [] };
    },
  };
}

interface RecordedDays {
  /** Days since 1970, both inclusive. */
  first: number;
  last: number;
  seed: number;
  currency: string;
  localDays: LocalDays;
  traffic: readonly Traffic[];
  /** Counts conversions of people, see DemoShop. */
  truth: Map<string, number>;
}

/** What is collected from the start of the first day to the end of the last. */
function* recordDays({ first, last, seed, currency, localDays, traffic, truth }: RecordedDays): Generator<DayRecords> {
  const [from, until] = [localDays.start(first), localDays.start(last + 1)];
  const isInside = (time: string): boolean => Date.parse(time) >= from && Date.parse(time) < until;
  // One day more: visits of the evening before may reach into the first one.
  for (let day = first - 1; day <= last; day++) {
    const records: DayRecords = { day: dayText(day), events: [], consents: [], identities: [] };
    for (const visits of traffic) {
      for (const visit of visits(day)) {
        const before = records.events.length;
        recordVisit(visit, seed, currency, records);
        const bought = records.events.slice(before).filter(isConversion);
        const cause = broughtBy(visit.person) ?? '';
        truth.set(cause, (truth.get(cause) ?? 0) + bought.filter(({ event_time }) => isInside(event_time)).length);
      }
    }
    yield {
      day: records.day,
      events: inOrder(records.events, (event) => event.event_time).filter((event) => isInside(event.event_time)),
      consents: inOrder(records.consents, (one) => one.consent_at).filter((one) => isInside(one.consent_at)),
      identities: records.identities,
    };
  }
}

function isConversion({ event_type }: ShopEvent): boolean {
  return event_type === 'conversion';
}

function isOfOrderSystem(event: ShopEvent): boolean {
  return isConversion(event) || event.event_name === 'refund';
}

/** Visits that end with something a system of orders knows. */
function ordersOnly(traffic: Traffic): Traffic {
  return (day) => traffic(day).filter(({ outcome }) => ['signup', 'purchase', 'refund'].includes(outcome.kind));
}

function requireWhole(name: string, number: number, highest: number): void {
  if (!Number.isInteger(number) || number < 1 || number > highest)
    throw new RangeError(`The ${name} of a demo shop must be a whole number from 1 to ${highest}.`);
}

/** People who may buy. Those who came for the first time before `firstDay` come back too. */
function shoppers(seed: number, firstDay: number, days: LocalDays): Traffic {
  const planned = new Map<number, Visit[]>();
  let next = firstDay - LONGEST_STAY_DAYS;
  return (day) => {
    for (; next <= day; next++) {
      for (const newcomer of newPeople(seed, next)) {
        for (const visit of planVisits(newcomer, seed, next, days)) {
          const visits = planned.get(visit.day);
          if (visits === undefined) planned.set(visit.day, [visit]);
          else visits.push(visit);
        }
      }
    }
    const visits = planned.get(day) ?? [];
    planned.delete(day);
    return visits;
  };
}

/** By time; at equal times as they came. */
function inOrder<T>(records: T[], timeOf: (record: T) => string): T[] {
  return records.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));
}
