import type { MessagingConfig } from '#messaging/messaging.config.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { CommandFailure } from './session.js';

/** @throws CommandFailure when the brokers can't be reached; kafkajs gives up after some tries */
export async function withKafka<T>({ KAFKA_BROKERS }: MessagingConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDependencyAway(error)) throw error;
    throw new CommandFailure(
      `Kafka at ${KAFKA_BROKERS} can't be reached (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}
