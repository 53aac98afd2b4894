import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { lockAsset } from '#ingest/asset-locks.js';
import type { CollectedMessage } from '#ingest/collected-message.js';
import { ingestTransaction } from '#ingest/ingest-transaction.js';
import { KnownAssets, UnknownAssetError } from '#ingest/known-assets.js';
import { localDaysOf } from '#ingest/local-days.js';
import { addProcessed, noteMessages } from '#ingest/processed.js';
import type { NetworkKnowledge } from '../networks/network-knowledge.js';
import { readTraffic, type CollectedEvent, type CollectedTraffic } from './collected-traffic.js';
import { noteConversions } from './converters.js';
import { addCounts, type IngestCounts } from './ingest-count.js';
import { eventKey } from './event-key.js';
import { noteEvents } from './seen-events.js';
import { mergeIntoTable } from './merge-into-table.js';
import { markDirty } from './mark-dirty.js';
import { sessionHead } from './session-head.js';
import { monthOfDay, SessionPartitions } from './session-partitions.js';
import { sessionsOf, type SessionState } from './traffic-sessions.js';

export interface IngestedTraffic extends IngestCounts {
  /** New events in sessions. */
  events: number;
  /** Records that are none: reporting, which takes the same, puts them among the dead letters. */
  bad: number;
}

/** Second key of a visitor bucket's lock; those of reporting's are the numbers of the buckets. */
const BUCKET_LOCKS = 2000;

interface Batch {
  assetId: string;
  messages: readonly CollectedMessage[];
  traffic: CollectedTraffic;
  describe: (first: CollectedEvent) => ReturnType<typeof sessionHead>;
}

/**
 * Takes collected events into the sessions of integrity: each batch in one transaction, exactly once in effect, however
 * often, late or mixed up its events come, and with any number of writers.
 */
export class TrafficIngest {
  private readonly assets: KnownAssets;
  private readonly partitions: SessionPartitions;

  constructor(
    private readonly dataSource: DataSource,
    private readonly networks: Pick<NetworkKnowledge, 'lookup' | 'typeForSession'>,
    private readonly keepDays: number,
  ) {
    this.assets = new KnownAssets(dataSource);
    this.partitions = new SessionPartitions(dataSource);
  }

  /**
   * @param now as which the age of events is judged
   * @throws UnknownAssetError
   */
  async ingest(assetId: string, messages: readonly CollectedMessage[], now = new Date()): Promise<IngestedTraffic> {
    await this.assets.require(assetId);
    const days = localDaysOf(await this.timezone(assetId));
    const traffic = readTraffic(messages, this.networks, now, this.keepDays);
    await this.partitions.ensure(new Set(traffic.events.map(({ at }) => monthOfDay(days.at(at)))));
    const describe = (first: CollectedEvent) => sessionHead(first, days, this.networks);
    const ingested = await ingestTransaction(this.dataSource, (client) =>
      this.write(client, { assetId, messages, traffic, describe }),
    );
    return { ...ingested, bad: traffic.bad };
  }

  /** An asset's time zone can't change once it has events. */
  private async timezone(assetId: string): Promise<string> {
    const [asset] = await this.dataSource.query<{ timezone: string }[]>(
      'SELECT timezone FROM access.asset WHERE asset_id = $1',
      [assetId],
    );
    if (asset === undefined) throw new UnknownAssetError(assetId);
    return asset.timezone;
  }

  private async write(
    client: PoolClient,
    { assetId, messages, traffic, describe }: Batch,
  ): Promise<Omit<IngestedTraffic, 'bad'>> {
    const { events, old, repeated, buckets, newest } = traffic;
    await lockAsset(
      client,
      assetId,
      [...buckets].map((bucket) => BUCKET_LOCKS + bucket),
    );
    const counted = await noteMessages(client, 'integrity', messages);
    const unseen = await noteEvents(client, assetId, [...events, ...old]);
    const fresh = events.filter(({ id }) => unseen.has(eventKey(id)));
    const touched = await mergeIntoTable(client, assetId, freshSessions(fresh, describe));
    await noteConversions(client, assetId, fresh, touched);
    await markDirty(client, assetId, touched);
    const counts = {
      withoutAddress: fresh.reduce((sum, { network }) => sum + (network === undefined ? 1 : 0), 0),
      duplicates: repeated + events.length + old.length - unseen.size,
      tooOld: unseen.size - fresh.length,
    };
    await addCounts(client, assetId, counts);
    await addProcessed(client, 'integrity', assetId, 'events.collected.v1', counted, newest);
    return { events: fresh.length, ...counts };
  }
}

/** Sessions of the new events alone. */
function freshSessions(events: readonly CollectedEvent[], describe: Batch['describe']): SessionState[][] {
  const groups = new Map<string, CollectedEvent[]>();
  for (const event of events) {
    const key = `${event.net} ${event.visitor}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return [...groups.values()].map((own) => sessionsOf(own, describe));
}
