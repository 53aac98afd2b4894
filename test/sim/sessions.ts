import { channelStanding } from '#apps/integrity/src/detection/channel-standing.js';
import type { TrafficSession } from '#apps/integrity/src/detection/traffic.js';
import { readTraffic, type CollectedEvent } from '#apps/integrity/src/ingest/collected-traffic.js';
import { LocalHours } from '#apps/integrity/src/ingest/local-hours.js';
import { sessionHead } from '#apps/integrity/src/ingest/session-head.js';
import { sessionsOf } from '#apps/integrity/src/ingest/traffic-sessions.js';
import { distinctPaths, landingTimes, pathSignature } from '#apps/integrity/src/ingest/views.js';
import type { NetworkKnowledge } from '#apps/integrity/src/networks/network-knowledge.js';
import type { ChannelMapping } from '#contracts/channels/classify-channel.js';
import { localDaysOf } from '#ingest/local-days.js';
import type { SimEvent } from './world.js';

const KEEP_DAYS = 400;
const NO_MAPPING: ChannelMapping = new Map();

/** Sessions of the events of one asset, by start: what the service reads from its tables after it has taken them. */
export function buildSessions(
  events: readonly SimEvent[],
  networks: NetworkKnowledge,
  timezone: string,
): TrafficSession[] {
  const now = new Date(events.at(-1)?.event_time ?? 0);
  const traffic = readTraffic([{ id: '', source: '', records: events }], networks, now, KEEP_DAYS);
  const groups = new Map<string, CollectedEvent[]>();
  const firstConversions = new Map<string, number>();
  for (const event of traffic.events) {
    const key = `${event.visitor} ${event.net}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
    if (event.kind !== 'conversion' || event.user === null || firstConversions.has(event.user)) continue;
    firstConversions.set(event.user, event.at);
  }
  const days = localDaysOf(timezone);
  const hours = new LocalHours(timezone);
  const sessions: TrafficSession[] = [];
  for (const group of groups.values()) {
    const network = group[0]?.network;
    for (const { head, views, ...state } of sessionsOf(group, (first) => sessionHead(first, days, networks))) {
      // A literal: objects made by spreading are read many times slower.
      sessions.push({
        key: state.firstId,
        visitor: state.visitor,
        net: state.net,
        host: head.host,
        asn: head.asn,
        asnOrg: network?.asnOrg ?? null,
        networkType: head.networkType,
        channel: head.channel,
        standing: channelStanding(head.channel, head.unpaid, NO_MAPPING, false),
        uaClass: head.uaClass,
        browser: head.browser,
        os: head.os,
        day: head.day,
        startedAt: Math.floor(state.startedAt / 1_000),
        endedAt: Math.floor(state.endedAt / 1_000),
        hour: hours.at(state.startedAt),
        events: state.events,
        conversions: state.conversions,
        otherEvents: state.otherEvents,
        landingHits: landingTimes(views).map((at) => Math.floor(at / 1_000)),
        distinctPaths: distinctPaths(views),
        pathSignature: pathSignature(views),
        country: state.country?.value ?? '',
        convertedBefore: (firstConversions.get(state.user?.value ?? '') ?? Infinity) < state.startedAt,
      });
    }
  }
  return sessions.sort((a, b) => a.startedAt - b.startedAt || (a.key < b.key ? -1 : 1));
}
