import type { INestApplication, Provider, Type } from '@nestjs/common';
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

/** An application whose messaging runs on the Kafka in memory. */
export function startApp(
  kafka: InMemoryKafka,
  controllers: Type[],
  options: Partial<KafkaAppOptions> = {},
): Promise<INestApplication> {
  const config = Object.assign(new MessagingConfig(), { KAFKA_BROKERS: 'broker:9092' });
  const settings = () => new KafkaClients(config).settings();
  return startOnKafka(config, controllers, { groupId: GROUP, clients: { create: () => kafka, settings }, ...options });
}

export interface KafkaAppOptions {
  groupId: string;
  fromBeginning?: boolean;
  batchWriters?: number;
  /** Batch consumers, for example. */
  providers?: Provider[];
  /** Instead of clients for the configured brokers. */
  clients?: object;
}

/** An application with these consumers, connected. */
export async function startOnKafka(
  config: MessagingConfig,
  controllers: Type[],
  { clients = new KafkaClients(config), providers = [], ...options }: KafkaAppOptions,
): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [RuntimeModule, MessagingModule],
    controllers,
    providers,
  })
    .overrideProvider(MessagingConfig)
    .useValue(config)
    .overrideProvider(KafkaClients)
    .useValue(clients)
    .setLogger(new NestLogger())
    .compile();
  const app = module.createNestApplication(new FastifyAdapter());
  try {
    await connectMessaging(app, { fromBeginning: true, ...options });
  } catch (error) {
    await app.close();
    throw error;
  }
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
