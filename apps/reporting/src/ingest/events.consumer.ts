import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { CollectedConsumer } from '#ingest/collected-consumer.js';
import type { CollectedMessage, Refuse } from '#ingest/collected-message.js';
import { EventIngest } from './event-ingest.js';
import { countIngested } from './ingest-metrics.js';

/** `events.collected.v1` into raw events, sessions and rollups. */
@Injectable()
export class EventsConsumer extends CollectedConsumer<EventsCollected> {
  readonly event = EventsCollected;
  private readonly ingest: EventIngest;

  constructor(@Inject(DataSource) dataSource: DataSource, @Inject(DeadLetterRecords) deadLetters: DeadLetterRecords) {
    super(dataSource, deadLetters, 'reporting');
    this.ingest = new EventIngest(dataSource);
  }

  protected async take(assetId: string, messages: readonly CollectedMessage[], refuse: Refuse): Promise<void> {
    countIngested(await this.ingest.ingest(assetId, messages, refuse));
  }
}
