import type { DataSource } from 'typeorm';
import type { Topic } from '#contracts/topics.js';
import { BatchConsumer, type BatchMessage, type GivenUpMessage } from '#messaging/batch-consumer.js';
import type { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import type { EventClass } from '#messaging/event-class.js';
import { KnownAssets } from './known-assets.js';
import { collectedMessages, refuseTo, type CollectedData } from './batch-of-asset.js';
import type { CollectedMessage, Refuse } from './collected-message.js';
import { GivenUp } from './given-up.js';
import { timeBatch } from './batch-time.js';
import type { IngestSchema } from './processed.js';

/** A collected topic into its tables: a transaction per asset, bad records into the dead letters. */
export abstract class CollectedConsumer<T extends CollectedData> extends BatchConsumer<T> {
  abstract override readonly event: EventClass<T> & { readonly topic: Topic };
  private readonly assets: KnownAssets;
  private readonly givenUp: GivenUp;

  constructor(
    dataSource: DataSource,
    private readonly deadLetters: DeadLetterRecords,
    private readonly schema: IngestSchema,
  ) {
    super();
    this.assets = new KnownAssets(dataSource);
    this.givenUp = new GivenUp(dataSource, schema);
  }

  /** Takes the messages of one asset, in one transaction. */
  protected abstract take(assetId: string, messages: readonly CollectedMessage[], refuse: Refuse): Promise<void>;

  async handle(messages: readonly BatchMessage<T>[]): Promise<void> {
    for (const [assetId, ofAsset] of await collectedMessages(messages, this.assets)) {
      await timeBatch(this.schema, this.event.topic, () =>
        this.take(assetId, ofAsset.collected, refuseTo(this.deadLetters, ofAsset.messages)),
      );
    }
  }

  override gaveUp(letter: GivenUpMessage): Promise<void> {
    return this.givenUp.count(this.event.topic, letter);
  }
}
