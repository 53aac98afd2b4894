import type { DaySlices } from './day-slices.js';
import { isDeclaredBot, isEngaged, isPaid } from './engagement.js';
import { LIMITS } from './limits.js';
import { meanVectorLength } from './statistics.js';
import type { TrafficSession, UaClass } from './traffic.js';

/** Networks of these types tell nothing about how people behave. */
const LEFT_OUT: ReadonlySet<string> = new Set(['hosting', 'vpn', 'tor', 'search_engine', 'reserved']);

const { hourPrior, shrinkageWeight, minChannelSessions, bounceOfSmallChannel, minConversionRate, perNetwork } =
  LIMITS.baseline;

interface Cell {
  sessions: number;
  bounces: number;
  nights: number;
}

interface ChannelCells {
  all: Cell;
  byClass: Map<UaClass, Cell>;
}

/** What is usual on an asset in one scoring window. */
export class Baseline {
  /**
   * Share of paid sessions with a conversion, 0.002 at least; undefined when nobody converted, because then the asset
   * may not count conversions at all.
   */
  readonly conversionRate: number | undefined;
  /** Share of sessions without a browser name: of some collectors all. */
  readonly emptyBrowserShare: number;
  /** 0 to 1: near 1 when times are cut to minutes. */
  readonly clockConcentration: number;
  /** Share of sessions that are paid; 0 for a baseline of under 30. */
  readonly paidShareOfAll: number;
  private readonly channels = new Map<string, ChannelCells>();
  private readonly paid: readonly TrafficSession[];

  /** @param sample sessions of `baselineSample` of all networks, in any order */
  constructor(sample: readonly TrafficSession[]) {
    let converted = 0;
    let paidConverted = 0;
    let emptyBrowsers = 0;
    for (const session of sample) {
      this.add(session);
      if (session.conversions > 0) converted++;
      if (session.conversions > 0 && isPaid(session)) paidConverted++;
      if (session.browser === '') emptyBrowsers++;
    }
    this.paid = sample.filter(isPaid);
    this.conversionRate =
      converted === 0 ? undefined : Math.max(minConversionRate, paidConverted / Math.max(1, this.paid.length));
    this.paidShareOfAll = sample.length < minChannelSessions ? 0 : this.paid.length / sample.length;
    this.emptyBrowserShare = sample.length === 0 ? 0 : emptyBrowsers / sample.length;
    this.clockConcentration =
      sample.length < LIMITS.clockLocked.minSessions
        ? 0
        : meanVectorLength(sample, ({ startedAt }) => startedAt, LIMITS.clockLocked.circleMs);
  }

  /** Chance that a session of the channel and class has no engagement: of the class, shrunk to the channel. */
  bounceRate(channel: string, uaClass: UaClass): number {
    const cells = this.channels.get(channel);
    const all = cells?.all;
    const usual =
      all === undefined || all.sessions < minChannelSessions ? bounceOfSmallChannel : all.bounces / all.sessions;
    const cell = cells?.byClass.get(uaClass);
    return ((cell?.bounces ?? 0) + shrinkageWeight * usual) / ((cell?.sessions ?? 0) + shrinkageWeight);
  }

  /** Chance that a session of the channel and class starts between 01 and 06 h: without sessions that of even hours. */
  nightShare(channel: string, uaClass: UaClass): number {
    const cell = this.channels.get(channel)?.byClass.get(uaClass);
    const hours = LIMITS.nightFlat.endHour - LIMITS.nightFlat.firstHour;
    return ((cell?.nights ?? 0) + hourPrior * hours) / ((cell?.sessions ?? 0) + hourPrior * 24);
  }

  /** Share of the paid sessions of others that start in a span of time, its end not included. */
  paidShare(from: number, to: number, isOwn: (session: TrafficSession) => boolean): number {
    let inside = 0;
    let all = 0;
    for (const session of this.paid) {
      if (isOwn(session)) continue;
      all++;
      if (session.startedAt >= from && session.startedAt < to) inside++;
    }
    return all === 0 ? 0 : inside / all;
  }

  private add(session: TrafficSession): void {
    let cells = this.channels.get(session.channel);
    if (cells === undefined) {
      cells = { all: { sessions: 0, bounces: 0, nights: 0 }, byClass: new Map() };
      this.channels.set(session.channel, cells);
    }
    let cell = cells.byClass.get(session.uaClass);
    if (cell === undefined) {
      cell = { sessions: 0, bounces: 0, nights: 0 };
      cells.byClass.set(session.uaClass, cell);
    }
    const bounced = isEngaged(session) ? 0 : 1;
    const night = isNight(session.hour) ? 1 : 0;
    for (const one of [cells.all, cell]) {
      one.sessions++;
      one.bounces += bounced;
      one.nights += night;
    }
  }
}

/** From 01:00 to 05:59. */
export function isNight(hour: number): boolean {
  return hour >= LIMITS.nightFlat.firstHour && hour < LIMITS.nightFlat.endHour;
}

/**
 * What one network gives to the baseline of a window: at most 20 sessions, those with the lowest hash of their key, because
 * the first in time would shift the hours. Networks of machines give nothing, nor do declared bots.
 */
export class NetworkSample {
  /** By hash; sorted once, because windows overlap. Empty when no window can hold too many. */
  private readonly byHash: readonly TrafficSession[];

  /** @param slices of the network */
  constructor(private readonly slices: DaySlices) {
    const { sessions } = slices;
    if (sessions.length <= perNetwork) this.byHash = [];
    else {
      const people = sessions.filter((session) => !isLeftOut(session));
      const hashed = people.map((session) => ({ session, hash: hashText(session.key) }));
      hashed.sort((a, b) => a.hash - b.hash || (a.session.key < b.session.key ? -1 : 1));
      this.byHash = hashed.map(({ session }) => session);
    }
  }

  /** Adds those of local days `from` to `to`, both inclusive. */
  addTo(sample: TrafficSession[], from: number, to: number): void {
    const inWindow = this.slices.between(from, to);
    if (inWindow.length <= perNetwork) {
      for (const session of inWindow) if (!isLeftOut(session)) sample.push(session);
      return;
    }
    let left: number = perNetwork;
    for (const session of this.byHash) {
      if (session.day < from || session.day > to) continue;
      sample.push(session);
      if (--left === 0) return;
    }
  }
}

function isLeftOut(session: TrafficSession): boolean {
  return LEFT_OUT.has(session.networkType) || isDeclaredBot(session);
}

/** FNV-1a with the last steps of MurmurHash3, 32 bits: even over keys that differ in one digit only. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
