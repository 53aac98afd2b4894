import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { v5 as uuidv5 } from 'uuid';
import { counter } from '#runtime/metrics.js';
import type { BatchMessage } from './batch-consumer.js';
import { ConsumerGroup } from './consumer/consumer-group.js';
import { countDeadLetter } from './consumer/bury-message.js';
import { deadLetterReason } from './consumer/dead-letter-reason.js';
import { envelopeOf } from './consumer/received-message.js';
import { InvalidMessageError } from './errors.js';
import { EventBus } from './event-bus.js';

/** A record that can not be stored, as it came, and why. */
export interface BadRecord {
  record: unknown;
  /** A code of libs/contracts/collect. */
  code: string;
  /** Empty when the record as a whole is meant. */
  field: string;
  message: string;
}

/** Reasons that the error message names; the most frequent ones. */
const REASONS = 5;

const recordsCounter = counter({
  name: 'tallyport_dead_letter_records_total',
  help: 'Records that a consumer could not handle while the rest of their message was fine',
  labelNames: ['topic', 'code'],
});

/** Puts a part of a message among the dead letters, while the rest of it is handled. */
@Injectable()
export class DeadLetterRecords {
  constructor(
    @Inject(EventBus) private readonly bus: EventBus,
    @Inject(ConsumerGroup) private readonly group: ConsumerGroup,
  ) {}

  /**
   * One dead letter with the same envelope, only the bad records and an id of its own, so that a replay counts as a new
   * message. Resolves when it is durable. Call it BEFORE the transaction commits that notes the message as handled: a
   * crash between the two repeats the letter, the other way round it would lose it. Of the same records of the same
   * message the id is the same, so that replaying a repeated letter acts once.
   *
   * Counts one in `tallyport_dead_letters_total`, and the records in `tallyport_dead_letter_records_total` by their codes.
   *
   * @param bad without any, nothing happens
   */
  async records(
    message: BatchMessage<{ asset_id: string; records: unknown[] }>,
    bad: readonly BadRecord[],
  ): Promise<void> {
    if (bad.length === 0) return;
    const { received } = message;
    const { topic } = received;
    const original = envelopeOf(received);
    const records = bad.map(({ record }) => record);
    const digest = createHash('sha256').update(JSON.stringify(records)).digest('hex');
    const part = {
      ...original,
      id: uuidv5(`${original.id} ${digest}`, uuidv5.URL),
      data: { ...(original.data as object), records },
    };
    const error = new InvalidMessageError(describe(message.data.records.length, bad));
    const reason = {
      ...deadLetterReason(received, error, this.group.id),
      'x-error-count': String(bad.length),
    };
    const value = Buffer.from(JSON.stringify(part));
    await this.bus.deadLetter({ topic, message: { ...received.message, value }, reason });
    countDeadLetter(topic, reason);
    for (const { code } of bad) recordsCounter.inc({ topic, code });
  }
}

/** `3 of 500 records: missing_field distinct_id (2), invalid_value event_time (1)` */
function describe(of: number, bad: readonly BadRecord[]): string {
  const counts = new Map<string, number>();
  for (const { code, field } of bad) {
    const reason = field === '' ? code : `${code} ${field}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${reason} (${count})`);
  const more = reasons.length > REASONS ? `, ${reasons.length - REASONS} more` : '';
  return `${bad.length} of ${of} records: ${reasons.slice(0, REASONS).join(', ')}${more}`;
}
