import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UsersIdentified } from '#contracts/events/users-identified.js';
import { BatchConsumer, type BatchMessage, type GivenUpMessage } from '#messaging/batch-consumer.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { KnownAssets } from './asset-versions.js';
import { collectedMessages, refuseTo } from './batch-of-asset.js';
import { GivenUp } from './given-up.js';
import { IdentityIngest } from './identity-ingest.js';
import { timeBatch } from './ingest-metrics.js';

/** `users.identified.v1` into persons, and their visitors to them. */
@Injectable()
export class IdentitiesConsumer extends BatchConsumer<UsersIdentified> {
  readonly event = UsersIdentified;
  private readonly ingest: IdentityIngest;
  private readonly assets: KnownAssets;
  private readonly givenUp: GivenUp;

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(DeadLetterRecords) private readonly deadLetters: DeadLetterRecords,
  ) {
    super();
    this.ingest = new IdentityIngest(dataSource);
    this.assets = new KnownAssets(dataSource);
    this.givenUp = new GivenUp(dataSource);
  }

  async handle(messages: readonly BatchMessage<UsersIdentified>[]): Promise<void> {
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
