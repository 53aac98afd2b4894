import { compareBytes } from '#ingest/byte-order.js';
import type { UaClass } from '../detection/traffic.js';
import type { NetworkType } from '../networks/network-types.js';
import { addView, mergeViews, type Views } from './views.js';

/** A gap of this length or more begins a new session. */
export const SESSION_GAP_US = 30 * 60_000_000;

/** What a session has from its first event. */
export interface SessionHead {
  /** Local day, days since 1970. */
  day: number;
  host: string;
  asn: number | null;
  networkType: NetworkType;
  /** Slug of a known name, else as given; '' when there is none. */
  channel: string;
  ftChannel: string;
  unpaid: boolean;
  uaClass: UaClass;
  browser: string;
  os: string;
}

/** An event as sessions see it. Times are microseconds since 1970. */
export interface TrafficEvent {
  at: number;
  id: string;
  visitor: string;
  net: string;
  kind: 'page_view' | 'conversion' | 'other';
  /** Digest of the path; only of page views. */
  path: number;
  country: string | null;
  user: string | null;
}

/** A value that an event gave to its session. At equal times the lower value, in byte order, counts. */
export interface Given {
  value: string;
  at: number;
}

/** Events of one visitor and network with gaps under 30 minutes. Immutable but while it is built. */
export interface SessionState {
  visitor: string;
  net: string;
  startedAt: number;
  endedAt: number;
  /** The first event: earliest, of equal times the lower id in byte order. Its description is that of the session. */
  firstId: string;
  head: SessionHead;
  events: number;
  conversions: number;
  /** Events that are no page views. */
  otherEvents: number;
  views: Views;
  country: Given | null;
  user: Given | null;
}

function compareEvents(a: TrafficEvent, b: TrafficEvent): number {
  return a.at - b.at || compareBytes(a.id, b.id);
}

/** All sessions of events of one visitor and network, in order of their start. */
export function sessionsOf<E extends TrafficEvent>(
  events: readonly E[],
  describe: (first: E) => SessionHead,
): SessionState[] {
  const sorted = events.length > 1 ? [...events].sort(compareEvents) : events;
  const sessions: SessionState[] = [];
  let open: (SessionState & { views: number[] }) | undefined;
  for (const event of sorted) {
    if (open === undefined || event.at - open.endedAt >= SESSION_GAP_US) {
      open = begin(event, describe(event));
      sessions.push(open);
    }
    append(open, event);
  }
  return sessions;
}

function begin({ visitor, net, at, id }: TrafficEvent, head: SessionHead): SessionState & { views: number[] } {
  return {
    visitor,
    net,
    startedAt: at,
    endedAt: at,
    firstId: id,
    head,
    events: 0,
    conversions: 0,
    otherEvents: 0,
    views: [],
    country: null,
    user: null,
  };
}

function append(session: SessionState & { views: number[] }, { at, kind, path, country, user }: TrafficEvent): void {
  session.endedAt = at;
  session.events++;
  if (kind === 'page_view') addView(session.views, at, path);
  else session.otherEvents++;
  if (kind === 'conversion') session.conversions++;
  if (country !== null) session.country = earlier(session.country, { value: country, at });
  if (user !== null) session.user = earlier(session.user, { value: user, at });
}

function earlier(a: Given | null, b: Given | null): Given | null {
  if (a === null || b === null) return a ?? b;
  return a.at < b.at || (a.at === b.at && compareBytes(a.value, b.value) <= 0) ? a : b;
}

/** New sessions of one visitor and network, and the stored ones that they touch: together they are one session. */
export interface Group<S extends SessionState> {
  stored: S[];
  fresh: SessionState[];
}

/** Groups of new sessions with the stored ones around them; stored sessions that none touches are left out. */
export function groupSessions<S extends SessionState>(
  stored: readonly S[],
  fresh: readonly SessionState[],
): Group<S>[] {
  if (stored.length === 0) return fresh.map((session) => ({ stored: [], fresh: [session] }));
  const known = new Set<SessionState>(stored);
  const all = [...stored, ...fresh].sort((a, b) => a.startedAt - b.startedAt);
  const groups: Group<S>[] = [];
  let end = -Infinity;
  for (const session of all) {
    let open = groups.at(-1);
    if (open === undefined || session.startedAt - end >= SESSION_GAP_US) {
      groups.push((open = { stored: [], fresh: [] }));
      end = -Infinity;
    }
    end = Math.max(end, session.endedAt);
    if (known.has(session)) open.stored.push(session as S);
    else open.fresh.push(session);
  }
  return groups.filter(({ fresh: own }) => own.length > 0);
}

/** The session of the events of all of them; the given ones stay as they are. @throws Error for none */
export function joinSessions(sessions: readonly SessionState[]): SessionState {
  return sessions.reduce((a, b) => {
    const [first, other] = beginsBefore(a, b) ? [a, b] : [b, a];
    return {
      ...first,
      endedAt: Math.max(a.endedAt, b.endedAt),
      events: a.events + b.events,
      conversions: a.conversions + b.conversions,
      otherEvents: a.otherEvents + b.otherEvents,
      views: mergeViews(first.views, other.views),
      country: earlier(a.country, b.country),
      user: earlier(a.user, b.user),
    };
  });
}

function beginsBefore(a: SessionState, b: SessionState): boolean {
  return a.startedAt < b.startedAt || (a.startedAt === b.startedAt && compareBytes(a.firstId, b.firstId) < 0);
}
