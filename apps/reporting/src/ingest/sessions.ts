import { compareBytes } from '#ingest/byte-order.js';
import type { DimensionIds } from './dimension-ids.js';

/** A gap of this length or more begins a new session. */
export const SESSION_GAP_US = 30 * 60_000_000;

/** What an event counts as besides an event. */
export const COUNTS_AS = { nothing: 0, pageview: 1, conversion: 2 } as const;
export type CountsAs = (typeof COUNTS_AS)[keyof typeof COUNTS_AS];

/** An event as sessions see it. Times are microseconds since 1970, days local days since 1970. */
export interface SessionEvent {
  at: number;
  id: string;
  day: number;
  /** The person that the event names, 0 for none. */
  named: number;
  countsAs: CountsAs;
  dimensions: DimensionIds;
}

/** The events of one session on one local day that name one person, or nobody. */
export interface Part {
  day: number;
  named: number;
  firstAt: number;
  pageviews: number;
  conversions: number;
  events: number;
}

/**
 * Events of one visitor with gaps under 30 minutes. Immutable but while it is built; `others` has no part with the day
 * and name of `head`, by `partKey`.
 */
export interface Session {
  start: number;
  end: number;
  /** The first event: earliest, of equal times the lower id in byte order. Its dimensions are those of the session. */
  firstId: string;
  dimensions: DimensionIds;
  /** The part of the first event, which counts as the session. */
  head: Part;
  others: Map<string, Part>;
}

export function partKey({ day, named }: Pick<Part, 'day' | 'named'>): string {
  return `${day}:${named}`;
}

export function compareEvents(a: SessionEvent, b: SessionEvent): number {
  return a.at - b.at || compareBytes(a.id, b.id);
}

/** Makes the sessions of one visitor from its events, which are in order of `compareEvents`. */
export class SessionBuilder {
  private session: Session | undefined;

  /** @returns the session that this event shows to be over */
  add(event: SessionEvent): Session | undefined {
    const { session } = this;
    if (session !== undefined && event.at - session.end < SESSION_GAP_US) {
      append(session, event);
      return undefined;
    }
    this.session = begin(event);
    return session;
  }

  /** @returns the last session; the next event begins another one */
  end(): Session | undefined {
    const { session } = this;
    this.session = undefined;
    return session;
  }
}

/** All sessions of one visitor from its events, which are in order of `compareEvents`. */
export function sessionsOf(events: Iterable<SessionEvent>): Session[] {
  const builder = new SessionBuilder();
  const sessions: Session[] = [];
  for (const event of events) {
    const closed = builder.add(event);
    if (closed !== undefined) sessions.push(closed);
  }
  const last = builder.end();
  if (last !== undefined) sessions.push(last);
  return sessions;
}

function begin(event: SessionEvent): Session {
  return {
    start: event.at,
    end: event.at,
    firstId: event.id,
    dimensions: event.dimensions,
    head: partOf(event),
    others: new Map(),
  };
}

function append(session: Session, event: SessionEvent): void {
  session.end = event.at;
  const { head } = session;
  if (head.day === event.day && head.named === event.named) {
    count(head, event);
    return;
  }
  const key = partKey(event);
  const part = session.others.get(key);
  if (part === undefined) session.others.set(key, partOf(event));
  else count(part, event);
}

function partOf({ at, day, named, countsAs }: SessionEvent): Part {
  return {
    day,
    named,
    firstAt: at,
    pageviews: countsAs === COUNTS_AS.pageview ? 1 : 0,
    conversions: countsAs === COUNTS_AS.conversion ? 1 : 0,
    events: 1,
  };
}

/** The event comes after all that the part has. */
function count(part: Part, { countsAs }: SessionEvent): void {
  part.events++;
  if (countsAs === COUNTS_AS.pageview) part.pageviews++;
  else if (countsAs === COUNTS_AS.conversion) part.conversions++;
}

/** Whether the first event of `a` comes before that of `b`. */
export function beginsBefore(a: Session, b: Session): boolean {
  return a.start < b.start || (a.start === b.start && compareBytes(a.firstId, b.firstId) < 0);
}

/** The union of sessions that belong together; the given ones stay as they are. */
export function joinSessions(sessions: readonly [Session, ...Session[]]): Session {
  let [first] = sessions;
  let end = first.end;
  for (const session of sessions) {
    if (beginsBefore(session, first)) first = session;
    end = Math.max(end, session.end);
  }
  const parts = new Map<string, Part>();
  for (const { head, others } of sessions) {
    addPart(parts, partKey(head), head);
    for (const [key, part] of others) addPart(parts, key, part);
  }
  const headKey = partKey(first.head);
  const head = parts.get(headKey) ?? first.head;
  parts.delete(headKey);
  return { start: first.start, end, firstId: first.firstId, dimensions: first.dimensions, head, others: parts };
}

function addPart(parts: Map<string, Part>, key: string, part: Part): void {
  const known = parts.get(key);
  parts.set(
    key,
    known === undefined
      ? part
      : {
          day: part.day,
          named: part.named,
          firstAt: Math.min(known.firstAt, part.firstAt),
          pageviews: known.pageviews + part.pageviews,
          conversions: known.conversions + part.conversions,
          events: known.events + part.events,
        },
  );
}
