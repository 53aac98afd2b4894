import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { BatchConsumer, type BatchMessage, type GivenUpMessage } from '#messaging/batch-consumer.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { KnownAssets } from './asset-versions.js';
import { collectedMessages, refuseTo } from './batch-of-asset.js';
import { EventIngest } from './event-ingest.js';
import { GivenUp } from './given-up.js';
import { countIngested, timeBatch } from './ingest-metrics.js';

/** `events.collected.v1` into raw events, sessions and rollups. */
@Injectable()
export class EventsConsumer extends BatchConsumer<EventsCollected> {
  readonly event = EventsCollected;
  private readonly ingest: EventIngest;
  private readonly assets: KnownAssets;
  private readonly givenUp: GivenUp;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(DeadLetterRecords) private readonly deadLetters: DeadLetterRecords,
  ) {
    super();
    this.ingest = new EventIngest(dataSource);
    this.assets = new KnownAssets(dataSource);
    this.givenUp = new GivenUp(dataSource);
  }

  async handle(messages: readonly BatchMessage<EventsCollected>[]): Promise<void> {
    for (const [assetId, ofAsset] of await collectedMessages(messages, this.assets)) {
      const ingested = await timeBatch(this.event.topic, () =>
        this.ingest.ingest(assetId, ofAsset.collected, refuseTo(this.deadLetters, ofAsset.messages)),
      );
      countIngested(ingested);
    }
  }

  override gaveUp(letter: GivenUpMessage): Promise<void> {
    return this.givenUp.count(this.event.topic, letter);
  }
}
