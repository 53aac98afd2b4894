import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConsentRecorded } from '#contracts/events/consent-recorded.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { CollectedConsumer } from '#ingest/collected-consumer.js';
import type { CollectedMessage, Refuse } from '#ingest/collected-message.js';
import { ConsentIngest } from './consent-ingest.js';

/** `consent.recorded.v1` into the consent table. */
@Injectable()
export class ConsentConsumer extends CollectedConsumer<ConsentRecorded> {
  readonly event = ConsentRecorded;
  private readonly ingest: ConsentIngest;

  constructor(@Inject(DataSource) dataSource: DataSource, @Inject(DeadLetterRecords) deadLetters: DeadLetterRecords) {
    super(dataSource, deadLetters, 'reporting');
    this.ingest = new ConsentIngest(dataSource);
  }

  protected async take(assetId: string, messages: readonly CollectedMessage[], refuse: Refuse): Promise<void> {
    await this.ingest.ingest(assetId, messages, refuse);
  }
}
