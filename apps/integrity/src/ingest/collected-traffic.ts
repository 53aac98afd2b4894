import type { EventRecord } from '#contracts/collect/collected.js';
import { readEvent } from '#contracts/collect/event-record.js';
import { visitorBucket } from '#contracts/collect/visitor-bucket.js';
import type { CollectedMessage } from '#ingest/collected-message.js';
import type { NetworkKnowledge, NetworkOf } from '../networks/network-knowledge.js';
import type { TrafficEvent } from './traffic-sessions.js';
import { pathDigest } from './views.js';

const DAY_US = 86_400_000_000;

/** An event with all that the head of a session is made of. */
export interface CollectedEvent extends TrafficEvent {
  record: EventRecord;
  /** Undefined without an address. */
  network: NetworkOf | undefined;
}

/** What is good in some messages of one asset. */
export interface CollectedTraffic {
  /** In order of arrival; of the same id only the first. */
  events: CollectedEvent[];
  /** Ids of events that are too old for sessions, each once. */
  old: { id: string; at: number }[];
  /** Records that were the second of their id. */
  repeated: number;
  /** Records that are none. */
  bad: number;
  buckets: Set<number>;
  /** Microseconds since 1970; undefined without events. */
  newest: number | undefined;
}

/**
 * @param now as which the age of events is judged
 * @param keepDays older events get no session
 */
export function readTraffic(
  messages: readonly CollectedMessage[],
  networks: Pick<NetworkKnowledge, 'lookup'>,
  now: Date,
  keepDays: number,
): CollectedTraffic {
  const traffic: CollectedTraffic = {
    events: [],
    old: [],
    repeated: 0,
    bad: 0,
    buckets: new Set(),
    newest: undefined,
  };
  const oldest = now.getTime() * 1000 - keepDays * DAY_US;
  const ids = new Set<string>();
  for (const { records } of messages) {
    for (const record of records) {
      const checked = readEvent(record, now);
      if ('issue' in checked) {
        traffic.bad++;
        continue;
      }
      const { event_id: id, time_us: at, distinct_id: visitor } = checked.record;
      if (ids.has(id)) {
        traffic.repeated++;
        continue;
      }
      ids.add(id);
      if (traffic.newest === undefined || at > traffic.newest) traffic.newest = at;
      if (at < oldest) traffic.old.push({ id, at });
      else {
        traffic.events.push(collectedEvent(checked.record, networks));
        traffic.buckets.add(visitorBucket(visitor));
      }
    }
  }
  return traffic;
}

function collectedEvent(record: EventRecord, networks: Pick<NetworkKnowledge, 'lookup'>): CollectedEvent {
  const { event_type: type, ip } = record;
  const network = ip === null ? undefined : networks.lookup(ip);
  const isView = type === 'page_view';
  return {
    at: record.time_us,
    id: record.event_id,
    visitor: record.distinct_id,
    net: network?.net ?? '',
    kind: isView ? 'page_view' : type === 'conversion' ? 'conversion' : 'other',
    path: isView ? pathDigest(record.page_path ?? '') : 0,
    country: record.geo_country,
    user: record.global_user_id,
    record,
    network,
  };
}
