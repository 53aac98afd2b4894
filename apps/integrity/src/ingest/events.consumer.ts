import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { CollectedConsumer } from '#ingest/collected-consumer.js';
import type { CollectedMessage } from '#ingest/collected-message.js';
import { KnownAssets, UnknownAssetError } from '#ingest/known-assets.js';
import type { BatchMessage } from '#messaging/batch-consumer.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { NetworkKnowledge } from '../networks/network-knowledge.js';
import { TrafficConfig } from './ingest.config.js';
import { TrafficIngest } from './traffic-ingest.js';
import { countTraffic } from './traffic-metrics.js';

/**
 * `events.collected.v1` into the sessions of integrity. What reporting, which takes the same messages, puts among the dead
 * letters is passed over here: bad records, and messages of no asset. One letter is enough, its replay comes to both.
 */
@Injectable()
export class TrafficConsumer extends CollectedConsumer<EventsCollected> {
  readonly event = EventsCollected;
  private readonly ingest: TrafficIngest;
  private readonly known: KnownAssets;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(DeadLetterRecords) deadLetters: DeadLetterRecords,
    @Inject(NetworkKnowledge) networks: NetworkKnowledge,
    @Inject(TrafficConfig) { SESSION_RETENTION_DAYS }: TrafficConfig,
  ) {
    super(dataSource, deadLetters, 'integrity');
    this.ingest = new TrafficIngest(dataSource, networks, SESSION_RETENTION_DAYS);
    this.known = new KnownAssets(dataSource);
  }

  override async handle(messages: readonly BatchMessage<EventsCollected>[]): Promise<void> {
    const ofAssets: BatchMessage<EventsCollected>[] = [];
    for (const message of messages) if (await this.isOfAsset(message)) ofAssets.push(message);
    await super.handle(ofAssets);
  }

  private async isOfAsset({ data }: BatchMessage<EventsCollected>): Promise<boolean> {
    try {
      await this.known.require(data.asset_id);
      return true;
    } catch (error) {
      if (error instanceof UnknownAssetError) return false;
      throw error;
    }
  }

  protected async take(assetId: string, messages: readonly CollectedMessage[]): Promise<void> {
    countTraffic(await this.ingest.ingest(assetId, messages));
  }
}
