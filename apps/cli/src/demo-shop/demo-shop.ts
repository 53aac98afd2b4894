import { bots } from './bots.js';
import { dayNumber, dayText, LocalDays } from './calendar.js';
import { costFile } from './cost-file.js';
import { newPeople } from './people.js';
import { LONGEST_STAY_DAYS, planVisits } from './plan-visits.js';
import type { DayRecords } from './records.js';
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
  /** IANA name; the days and hours of the shop. */
  timezone: string;
  currency: string;
}

export interface DemoShop {
  /** First and last day, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Advertising costs by day, as `POST /api/v1/cost-import` takes them. */
  costs(): Promise<string>;
  /** Of `days()`. */
  dayCount: number;
  /** Everything that is collected, made while it is read: about 2,200 events a day. */
  days(): Generator<DayRecords>;
}

/** A source of traffic: the visits that begin on a day. It is asked for one day after the other. */
type Traffic = (day: number) => Visit[];

/**
 * A shop that never was. What happens on a day follows from the seed and that day alone (and the time zone and
 * currency), so that windows of the same seed overlap exactly: loaded again tomorrow, it gains a day.
 *
 * @throws RangeError with a sentence when seed or weeks are out of their range
 */
export function demoShop({ seed, until, weeks, timezone, currency }: DemoShopOptions): DemoShop {
  requireWhole('seed', seed, HIGHEST_SEED);
  requireWhole('weeks', weeks, MOST_WEEKS);
  const last = dayNumber(until);
  const first = last - weeks * 7 + 1;
  const localDays = new LocalDays(timezone);
  return {
    from: dayText(first),
    to: until,
    costs: () => costFile(seed, first, last, currency),
    dayCount: last - first + 2,
    *days() {
      const traffic: Traffic[] = [shoppers(seed, first - 1, localDays), bots(seed, localDays)];
      const isInside = (time: string): boolean =>
        Date.parse(time) >= localDays.start(first) && Date.parse(time) < localDays.start(last + 1);
      // One day more: visits of the evening before may reach into the first one.
      for (let day = first - 1; day <= last; day++) {
        const records: DayRecords = { day: dayText(day), events: [], consents: [], identities: [] };
        for (const visits of traffic) for (const visit of visits(day)) recordVisit(visit, seed, currency, records);
        yield {
          day: records.day,
          events: inOrder(records.events, (event) => event.event_time).filter((event) => isInside(event.event_time)),
          consents: inOrder(records.consents, (one) => one.consent_at).filter((one) => isInside(one.consent_at)),
          identities: records.identities,
        };
      }
    },
  };
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
