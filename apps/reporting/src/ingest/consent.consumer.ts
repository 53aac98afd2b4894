import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConsentRecorded } from '#contracts/events/consent-recorded.js';
import { BatchConsumer, type BatchMessage, type GivenUpMessage } from '#messaging/batch-consumer.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { KnownAssets } from './asset-versions.js';
import { collectedMessages, refuseTo } from './batch-of-asset.js';
import { ConsentIngest } from './consent-ingest.js';
import { GivenUp } from './given-up.js';
import { timeBatch } from './ingest-metrics.js';

/** `consent.recorded.v1` into the consent table. */
@Injectable()
export class ConsentConsumer extends BatchConsumer<ConsentRecorded> {
  readonly event = ConsentRecorded;
  private readonly ingest: ConsentIngest;
  private readonly assets: KnownAssets;
  private readonly givenUp: GivenUp;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(DeadLetterRecords) private readonly deadLetters: DeadLetterRecords,
  ) {
    super();
    this.ingest = new ConsentIngest(dataSource);
    this.assets = new KnownAssets(dataSource);
    this.givenUp = new GivenUp(dataSource);
  }

  async handle(messages: readonly BatchMessage<ConsentRecorded>[]): Promise<void> {
    for (const [assetId, ofAsset] of await collectedMessages(messages, this.assets)) {
      await timeBatch(this.event.topic, () =>
        this.ingest.ingest(assetId, ofAsset.collected, refuseTo(this.deadLetters, ofAsset.messages)),
      );
    }
  }

  override gaveUp(letter: GivenUpMessage): Promise<void> {
    return this.givenUp.count(this.event.topic, letter);
  }
}
