import { Inject, Injectable } from '@nestjs/common';
import { Kafka, logLevel, type KafkaConfig, type LogEntry, type SASLOptions } from 'kafkajs';
import { loggerFor } from '#runtime/logger.js';
import { MessagingConfig } from '../messaging.config.js';
import './patch-request-queue.js';

/** Makes the kafkajs clients of the process; the only place that knows how to reach the brokers. */
@Injectable()
export class KafkaClients {
  constructor(@Inject(MessagingConfig) private readonly config: MessagingConfig) {}

  create(): Kafka {
    return new Kafka(this.settings());
  }

  /** @throws Error when KAFKA_BROKERS is not set */
  settings(): KafkaConfig & { brokers: string[] } {
    const { KAFKA_BROKERS, KAFKA_CLIENT_ID, KAFKA_TLS } = this.config;
    if (KAFKA_BROKERS === '') throw new Error('KAFKA_BROKERS is not set.');
    const sasl = this.login();
    return {
      brokers: KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
      clientId: KAFKA_CLIENT_ID,
      ssl: KAFKA_TLS,
      ...(sasl === undefined ? {} : { sasl }),
      connectionTimeout: 3_000,
      // A silently dead connection shows only through it.
      requestTimeout: 15_000,
      // The default waits up to 30 s: a broker that is back would be noticed late.
      retry: { initialRetryTime: 300, maxRetryTime: 3_000, retries: 5 },
      logLevel: logLevel.INFO,
      logCreator: () => logKafka,
    };
  }

  private login(): SASLOptions | undefined {
    const { KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD } = this.config;
    const account = { username: KAFKA_SASL_USERNAME, password: KAFKA_SASL_PASSWORD };
    switch (KAFKA_SASL_MECHANISM) {
      case '':
        return undefined;
      // One literal each: the type of kafkajs ties the mechanism to its members.
      case 'plain':
        return { mechanism: 'plain', ...account };
      case 'scram-sha-256':
        return { mechanism: 'scram-sha-256', ...account };
      case 'scram-sha-512':
        return { mechanism: 'scram-sha-512', ...account };
    }
  }
}

/** kafkajs' lines as ours, with its details as members and not folded into the text. */
function logKafka({ namespace, level, log: { message, timestamp: _, logger: __, error, ...details } }: LogEntry): void {
  const log = loggerFor('kafkajs');
  const line = { ...details, namespace, ...(error instanceof Error ? { err: error } : { error: error as unknown }) };
  if (level === logLevel.ERROR) log.error(line, message);
  else if (level === logLevel.WARN) log.warn(line, message);
  else log.debug(line, message);
}
