import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { EventBus, type DeadLetter, type OutgoingMessage } from '../event-bus.js';

/** Gives a message to every consumer of its topic; rejects when one of them must get it again later. */
export type Deliver = (message: OutgoingMessage) => Promise<void>;

/**
 * Carries events within the process. The outbox row is the durable copy: publish() ends when every consumer is done,
 * and rejects when one must try again later, so that the row stays pending.
 */
@Injectable()
export class InProcessBus extends EventBus {
  readonly durable = false;
  private deliver: Deliver | undefined;

  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    super();
  }

  /** Undefined: consumers do not run yet or no more. */
  attach(deliver: Deliver | undefined): void {
    this.deliver = deliver;
  }

  async publish(messages: OutgoingMessage[]): Promise<void> {
    const { deliver } = this;
    if (deliver === undefined) throw new DependencyAwayError('the consumers of this process are not running');
    const deliveries = await Promise.allSettled(messages.map(deliver));
    const failed = deliveries.find((delivery) => delivery.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async deadLetter({ topic, message, reason }: DeadLetter): Promise<void> {
    const headers = { ...textHeaders(message.headers), ...reason };
    await this.dataSource.query(
      'INSERT INTO messaging.dead_letter (id, topic, key, value, headers) VALUES ($1, $2, $3, $4, $5)',
      [uuidv7(), topic, message.key?.toString() ?? '', message.value?.toString() ?? '', headers],
    );
  }
}

function textHeaders(headers: Record<string, Buffer>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.toString()]));
}
