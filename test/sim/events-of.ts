import { simulate, type Scenario } from './scenario.js';
import type { Actor, SimEvent } from './world.js';

export interface EventsWithTruth {
  /** As `POST /api/v1/collect/events` takes them, a JSON object each; by time. */
  events: readonly SimEvent[];
  timezone: string;
  /** First and last local day, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Who was behind a `distinct_id`. */
  actors: ReadonlyMap<string, Actor>;
  /** By `distinct_id` and address. */
  visits: readonly Visits[];
}

/** All events that a visitor sent from an address. */
interface Visits {
  visitor: string;
  ip: string;
  actor: Actor;
  events: number;
}

/** The traffic of one asset for tests that send it through the service; days of the range that are over can be chosen. */
export function eventsOf(scenario: Scenario): EventsWithTruth {
  const { events, actors, timezone, firstDay, lastDay } = simulate(scenario);
  const visits = new Map<string, Visits>();
  for (const { distinct_id: visitor, ip } of events) {
    const actor = actors.get(visitor);
    if (actor === undefined || ip == null) continue;
    const key = `${visitor} ${ip}`;
    const one = visits.get(key);
    if (one === undefined) visits.set(key, { visitor, ip, actor, events: 1 });
    else one.events++;
  }
  const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
  return { events, timezone, from: dayText(firstDay), to: dayText(lastDay), actors, visits: [...visits.values()] };
}
