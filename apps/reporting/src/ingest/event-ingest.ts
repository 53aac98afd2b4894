import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { EventRecord } from '#contracts/collect/collected.js';
import { KnownAssets } from '#ingest/known-assets.js';
import { assetVersions, type AssetVersions } from './asset-versions.js';
import type { Change } from './change.js';
import { readEvents, type CollectedEvents } from './collected-events.js';
import type { CollectedMessage, Refuse } from '#ingest/collected-message.js';
import { countsAs } from './counts-as.js';
import type { DimensionIds } from './dimension-ids.js';
import { Dimensions } from './dimensions.js';
import { EventTable } from './event-table.js';
import { ingestTransaction } from '#ingest/ingest-transaction.js';
import { localDaysOf } from '#ingest/local-days.js';
import { lockBuckets } from './locks.js';
import { OutcomeSums } from './outcomes.js';
import { Partitions } from './partitions.js';
import { addProcessed, noteMessages } from '#ingest/processed.js';
import { compareEvents, type SessionEvent } from './sessions.js';
import type { VisitorEvents } from './session-table.js';
import { personIds, SubjectIds } from './subjects.js';
import { earlierNaming, type EventNaming } from './namings.js';
import { Visitors } from './visitors.js';
import { writeChange } from './write-change.js';

export interface IngestedEvents {
  /** New events. */
  events: number;
  /** Good records that changed nothing: their id was there. */
  duplicates: number;
  ipDropped: number;
  /** Refused records. */
  bad: number;
}

/** What a batch of one asset works with. */
interface Batch {
  assetId: string;
  messages: readonly CollectedMessage[];
  collected: CollectedEvents;
  dimensions: readonly DimensionIds[];
}

/**
 * Takes collected events into raw events, sessions, rollups and users: each batch in one transaction, exactly once in
 * effect, however often, late or mixed up its events come, and with any number of writers.
 */
export class EventIngest {
  private readonly dimensions: Dimensions;
  private readonly partitions: Partitions;
  private readonly events = new EventTable();
  private readonly assets: KnownAssets;

  constructor(
    private readonly dataSource: DataSource,
    private readonly ids: SubjectIds = new SubjectIds(),
  ) {
    this.assets = new KnownAssets(dataSource);
    this.dimensions = new Dimensions(dataSource);
    this.partitions = new Partitions(dataSource);
  }

  /**
   * @param now as which the age of events is judged
   * @throws UnknownAssetError
   */
  async ingest(
    assetId: string,
    messages: readonly CollectedMessage[],
    refuse: Refuse = () => Promise.resolve(),
    now = new Date(),
  ): Promise<IngestedEvents> {
    await this.assets.require(assetId);
    const collected = readEvents(messages, now);
    for (const [index, bad] of collected.bad.entries()) if (bad.length > 0) await refuse(index, bad);
    await this.partitions.ensure(collected.months);
    const dimensions = await this.dimensions.resolve(assetId, collected.events);
    const batch = { assetId, messages, collected, dimensions };
    const stored = await ingestTransaction(this.dataSource, (client) => this.write(client, batch));
    return {
      events: stored,
      duplicates: collected.repeated + collected.events.length - stored,
      ipDropped: collected.ipDropped,
      bad: collected.bad.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** @returns how many events are new */
  private async write(client: PoolClient, { assetId, messages, collected, dimensions }: Batch): Promise<number> {
    await lockBuckets(client, assetId, collected.buckets);
    const asset = await assetVersions(client, assetId);
    const counted = await noteMessages(client, 'reporting', messages);
    const duplicates = await this.events.insert(client, assetId, collected.events);
    const fresh: FreshEvent[] = [];
    for (const [place, record] of collected.events.entries()) {
      const ids = dimensions[place];
      if (!duplicates.has(place) && ids !== undefined) fresh.push({ record, dimensions: ids });
    }
    if (fresh.length > 0) {
      const { change, isNew } = await this.change(client, assetId, asset, fresh);
      await writeChange(client, assetId, asset, change, isNew);
    }
    await addProcessed(client, 'reporting', assetId, 'events.collected.v1', counted, collected.newest);
    return fresh.length;
  }

  /** Who the events belong to and what they bring; visitors and persons are written. */
  private async change(
    client: PoolClient,
    assetId: string,
    { timezone, currency }: AssetVersions,
    fresh: readonly FreshEvent[],
  ): Promise<{ change: Change; isNew: (person: number) => boolean }> {
    const days = localDaysOf(timezone);
    const names = new Set<string>();
    for (const { record } of fresh) if (record.global_user_id !== null) names.add(record.global_user_id);
    const persons = await personIds(client, this.ids, assetId, names);
    const events = new Map<string, SessionEvent[]>();
    const namings = new Map<string, EventNaming | undefined>();
    const outcomes = new OutcomeSums(currency);
    for (const { record, dimensions } of fresh) {
      const { distinct_id, global_user_id, time_us, event_id } = record;
      const named = global_user_id === null ? 0 : (persons.ids.get(global_user_id) ?? 0);
      const event = sessionEvent(record, days.at(time_us), named, dimensions);
      outcomes.add(record, event.day, dimensions);
      const ofVisitor = events.get(distinct_id);
      if (ofVisitor === undefined) events.set(distinct_id, [event]);
      else ofVisitor.push(event);
      const known = namings.get(distinct_id);
      namings.set(
        distinct_id,
        named === 0 ? known : earlierNaming(known, { at: time_us, id: event_id, person: named }),
      );
    }
    const { visitors, moves } = await new Visitors(client, this.ids, assetId).update(namings);
    const freshVisitors = new Set<number>();
    const ofVisitors: VisitorEvents[] = [];
    for (const [distinctId, list] of events) {
      const visitor = visitors.get(distinctId);
      if (visitor === undefined) throw new Error('A visitor was not stored.');
      if (visitor.fresh) freshVisitors.add(visitor.id);
      if (list.length > 1) list.sort(compareEvents);
      ofVisitors.push({ visitor: visitor.id, person: visitor.person, fresh: visitor.fresh, events: list });
    }
    return {
      change: { visitors: ofVisitors, moves, outcomes: outcomes.take() },
      isNew: (person) => persons.fresh.has(person) || freshVisitors.has(person),
    };
  }
}

interface FreshEvent {
  record: EventRecord;
  dimensions: DimensionIds;
}

function sessionEvent(
  { event_id, event_type, time_us }: EventRecord,
  day: number,
  named: number,
  dimensions: DimensionIds,
): SessionEvent {
  return { at: time_us, id: event_id, day, named, countsAs: countsAs(event_type), dimensions };
}
