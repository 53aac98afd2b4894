import type { INestApplication, Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { NestLogger } from '#runtime/logger.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { connectMessaging } from '../src/connect-messaging.js';
import { KafkaClients } from '../src/kafka/kafka-clients.js';
import { MessagingConfig } from '../src/messaging.config.js';
import { MessagingModule } from '../src/messaging.module.js';
import type { InMemoryKafka } from './in-memory-kafka.js';

export const GROUP = 'price-readers';

/** An application whose messaging runs on the Kafka in memory; `connect: false` leaves the consumers off. */
export async function startApp(
  kafka: InMemoryKafka,
  controllers: Type[],
  { connect = true } = {},
): Promise<INestApplication> {
  const config = Object.assign(new MessagingConfig(), { KAFKA_BROKERS: 'broker:9092' });
  const module = await Test.createTestingModule({ imports: [RuntimeModule, MessagingModule], controllers })
    .overrideProvider(MessagingConfig)
    .useValue(config)
    .overrideProvider(KafkaClients)
    .useValue({ create: () => kafka, settings: () => new KafkaClients(config).settings() })
    .setLogger(new NestLogger())
    .compile();
  const app = module.createNestApplication(new FastifyAdapter());
  if (connect) await connectMessaging(app, { groupId: GROUP, fromBeginning: true });
  return app;
}

/** Waits until `condition` holds, and fails with what it last was. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  holds: (value: T) => boolean,
  limitMs = 15_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
