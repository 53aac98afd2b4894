import { loggerFor } from '#runtime/logger.js';
import { counter } from '#runtime/metrics.js';
import type { EventBus } from '../event-bus.js';
import { deadLetterReason } from './dead-letter-reason.js';
import type { ReceivedMessage } from './received-message.js';

const deadLetters = counter({
  name: 'tallyport_dead_letters_total',
  help: 'Messages that a consumer could not handle',
  labelNames: ['topic', 'code'],
});
const held = counter({
  name: 'tallyport_messages_held_total',
  help: 'Deliveries that were given back because a dependency was away',
  labelNames: ['topic'],
});

/** Makes a message a dead letter. Rejects when that is not durable: the message must be held then. */
export async function buryMessage(
  bus: EventBus,
  group: string,
  received: ReceivedMessage,
  error: unknown,
): Promise<void> {
  const { topic, partition, offset, message } = received;
  const reason = deadLetterReason(received, error, group);
  await bus.deadLetter({ topic, message, reason });
  countDeadLetter(topic, reason);
  loggerFor('consumer').error({ err: error, topic, partition, offset }, 'the message is now a dead letter');
}

/** Counts a letter that is durable; a letter counts one, whether it holds a whole message or some records of it. */
export function countDeadLetter(topic: string, reason: Record<string, string>): void {
  deadLetters.inc({ topic, code: reason['x-error-code'] ?? '' });
}

export function countHeld(topic: string, messages = 1): void {
  held.inc({ topic }, messages);
}
