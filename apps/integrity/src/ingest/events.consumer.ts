import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { CollectedConsumer } from '#ingest/collected-consumer.js';
import type { CollectedMessage } from '#ingest/collected-message.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { NetworkKnowledge } from '../networks/network-knowledge.js';
import { TrafficConfig } from './ingest.config.js';
import { TrafficIngest } from './traffic-ingest.js';
import { countTraffic } from './traffic-metrics.js';

/** `events.collected.v1` into the sessions of integrity. */
@Injectable()
export class TrafficConsumer extends CollectedConsumer<EventsCollected> {
  readonly event = EventsCollected;
  private readonly ingest: TrafficIngest;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(DeadLetterRecords) deadLetters: DeadLetterRecords,
    @Inject(NetworkKnowledge) networks: NetworkKnowledge,
    @Inject(TrafficConfig) { SESSION_RETENTION_DAYS }: TrafficConfig,
  ) {
    super(dataSource, deadLetters, 'integrity');
    this.ingest = new TrafficIngest(dataSource, networks, SESSION_RETENTION_DAYS);
  }

  protected async take(assetId: string, messages: readonly CollectedMessage[]): Promise<void> {
    countTraffic(await this.ingest.ingest(assetId, messages));
  }
}
