import type { INestApplication } from '@nestjs/common';
import { DeadLetterRecords } from '../src/dead-letter-records.js';
import { HealthRegistry } from '#runtime/health.registry.js';
import { BatchRecorder, PricesCollected, providerOf, type TakeBatch } from './batch-fixtures.js';
import { InMemoryKafka } from './in-memory-kafka.js';
import { eventually, startApp, type KafkaAppOptions } from './kafka-app.js';

const apps: INestApplication[] = [];

export interface BatchServiceOptions extends Partial<KafkaAppOptions> {
  prepare?: (kafka: InMemoryKafka) => void;
  /** Messages that are there before the service starts, so that they come as one batch. */
  waiting?: { key: string | null; value: string | Buffer | null }[];
}

/** A service with one batch consumer of PricesCollected, on a Kafka in memory. */
export async function startBatchService(
  react?: TakeBatch,
  { prepare, waiting = [], ...options }: BatchServiceOptions = {},
) {
  const topic = PricesCollected.topic;
  const kafka = new InMemoryKafka([topic]);
  prepare?.(kafka);
  for (const message of waiting) kafka.append(topic, message);
  const recorder = new BatchRecorder(topic, react);
  const app = await startApp(kafka, [], { providers: [providerOf(recorder)], ...options });
  apps.push(app);
  const [reader] = kafka.consumers;
  if (reader === undefined) throw new Error('no consumer was made');
  /** Resolves when messages up to this offset are acknowledged. */
  const read = (offset: number) =>
    eventually(
      () => reader.position(topic),
      (position) => position >= offset,
    );
  const letters = () => kafka.log(`${topic}.dlq`);
  return {
    app,
    kafka,
    reader,
    recorder,
    read,
    letters,
    health: app.get(HealthRegistry),
    parts: app.get(DeadLetterRecords),
  };
}

export async function stopBatchServices(): Promise<void> {
  await Promise.all(apps.splice(0).map((app) => app.close()));
}
