import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UsersIdentified } from '#contracts/events/users-identified.js';
import { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import { CollectedConsumer } from '#ingest/collected-consumer.js';
import type { CollectedMessage, Refuse } from '#ingest/collected-message.js';
import { IdentityIngest } from './identity-ingest.js';

/** `users.identified.v1` into persons, and their visitors to them. */
@Injectable()
export class IdentitiesConsumer extends CollectedConsumer<UsersIdentified> {
  readonly event = UsersIdentified;
  private readonly ingest: IdentityIngest;

  constructor(@Inject(DataSource) dataSource: DataSource, @Inject(DeadLetterRecords) deadLetters: DeadLetterRecords) {
    super(dataSource, deadLetters, 'reporting');
    this.ingest = new IdentityIngest(dataSource);
  }

  protected async take(assetId: string, messages: readonly CollectedMessage[], refuse: Refuse): Promise<void> {
    await this.ingest.ingest(assetId, messages, refuse);
  }
}
