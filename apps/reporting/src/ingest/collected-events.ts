import { readEvent } from '#contracts/collect/event-record.js';
import { visitorBucket } from '#contracts/collect/visitor-bucket.js';
import type { EventRecord } from '#contracts/collect/collected.js';
import type { BadRecord } from '#messaging/dead-letter-records.js';
import { monthOf } from './partitions.js';

/** The records of one message of one asset. */
export interface CollectedRecords {
  records: readonly unknown[];
}

/** What is good in some messages of one asset. */
export interface CollectedEvents {
  /** In order of arrival; of the same id in one month only the first. */
  events: EventRecord[];
  /** Records that were the second of their id. */
  repeated: number;
  /** Addresses that were none and are kept empty. */
  ipDropped: number;
  /** By the place of the message. */
  bad: BadRecord[][];
  buckets: Set<number>;
  months: Set<number>;
  /** Microseconds since 1970; undefined without events. */
  newest: number | undefined;
}

export function readEvents(messages: readonly CollectedRecords[], now: Date): CollectedEvents {
  const collected: CollectedEvents = {
    events: [],
    repeated: 0,
    ipDropped: 0,
    bad: [],
    buckets: new Set(),
    months: new Set(),
    newest: undefined,
  };
  const ids = new Map<number, Set<string>>();
  for (const { records } of messages) {
    const bad: BadRecord[] = [];
    for (const record of records) {
      const checked = readEvent(record, now);
      if ('issue' in checked) bad.push({ record, ...checked.issue });
      else {
        if (checked.ipDropped) collected.ipDropped++;
        take(collected, ids, checked.record);
      }
    }
    collected.bad.push(bad);
  }
  return collected;
}

function take(collected: CollectedEvents, idsByMonth: Map<number, Set<string>>, event: EventRecord): void {
  const month = monthOf(event.time_us);
  let ids = idsByMonth.get(month);
  if (ids === undefined) {
    idsByMonth.set(month, (ids = new Set<string>()));
    collected.months.add(month);
  }
  const size = ids.size;
  ids.add(event.event_id);
  if (ids.size === size) {
    collected.repeated++;
    return;
  }
  collected.events.push(event);
  collected.buckets.add(visitorBucket(event.distinct_id));
  if (collected.newest === undefined || event.time_us > collected.newest) collected.newest = event.time_us;
}
