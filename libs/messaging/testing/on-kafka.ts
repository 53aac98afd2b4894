import { randomUUID } from 'node:crypto';
import type { INestApplication, Type } from '@nestjs/common';
import type { Admin, Message } from 'kafkajs';
import { HealthRegistry } from '#runtime/health.registry.js';
import { DeadLetters } from '../src/dead-letters.js';
import { EventBus, type OutgoingMessage } from '../src/event-bus.js';
import { KafkaClients } from '../src/kafka/kafka-clients.js';
import { readTopic, type StoredMessage } from '../src/kafka/read-topic.js';
import type { MessagingConfig } from '../src/messaging.config.js';
import { ensureTopics } from '../src/topics.ensure.js';
import { providerOf, type BatchRecorder } from './batch-fixtures.js';
import { consumerOf, priceChanged, type React } from './consumer-fixtures.js';
import { startOnKafka, type KafkaAppOptions } from './kafka-app.js';

export const HOUR_MS = 3_600_000;

export const uniqueTopic = (): string => `test.${randomUUID()}.v1`;

export const eventOf = (topic: string, price: string): OutgoingMessage => ({ topic, ...priceChanged(price, topic) });

/** What tests do with a real broker; topics and groups are their own. */
export class OnKafka {
  readonly clients: KafkaClients;
  private readonly apps: INestApplication[] = [];

  constructor(readonly config: MessagingConfig) {
    this.clients = new KafkaClients(config);
  }

  async newTopic(partitions = 1): Promise<string> {
    const topic = uniqueTopic();
    await ensureTopics(this.config, { [topic]: { partitions, retentionMs: HOUR_MS } });
    return topic;
  }

  /** A service with one consumer of the topic. */
  async start(topic: string, react?: React, options: Partial<KafkaAppOptions> = {}) {
    const { consumer } = consumerOf(topic, react);
    const groupId = options.groupId ?? `test-${randomUUID()}`;
    const app = await startOnKafka(this.config, [consumer as Type], { ...options, groupId });
    this.apps.push(app);
    const prices = () => consumer.attempts.map(({ price }) => price);
    return {
      app,
      groupId,
      prices,
      bus: app.get(EventBus),
      letters: app.get(DeadLetters),
      health: app.get(HealthRegistry),
    };
  }

  /** A service with this batch consumer. */
  async startBatches(recorder: BatchRecorder, options: Partial<KafkaAppOptions> = {}) {
    const groupId = options.groupId ?? `test-${randomUUID()}`;
    const providers = [providerOf(recorder)];
    const app = await startOnKafka(this.config, [], { ...options, groupId, providers });
    this.apps.push(app);
    return { app, groupId, letters: app.get(DeadLetters), health: app.get(HealthRegistry) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.apps.splice(0).map((app) => app.close()));
  }

  /** Publishes as another service would, without consumers of its own. */
  async publish(...messages: OutgoingMessage[]): Promise<void> {
    const app = await startOnKafka(this.config, [], { groupId: 'none' });
    try {
      await app.get(EventBus).publish(messages);
    } finally {
      await app.close();
    }
  }

  /** Sends any bytes. */
  async produce(topic: string, messages: Message[], options = {}): Promise<void> {
    const producer = this.clients.create().producer({ allowAutoTopicCreation: false, ...options });
    await producer.connect();
    await producer.send({ topic, messages });
    await producer.disconnect();
  }

  async admin<T>(work: (client: Admin) => Promise<T>): Promise<T> {
    const client = this.clients.create().admin();
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.disconnect();
    }
  }

  async contents(topic: string): Promise<StoredMessage[]> {
    const messages: StoredMessage[] = [];
    await readTopic(this.clients.create(), topic, (message) => {
      messages.push(message);
    });
    return messages;
  }
}
