import { jest } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { HealthRegistry } from '#runtime/health.registry.js';
import { consumerOf, PriceChanged, type React } from './consumer-fixtures.js';
import { InMemoryKafka } from './in-memory-kafka.js';
import { eventually, startApp } from './kafka-app.js';

const apps: INestApplication[] = [];

/** A service with one consumer of PriceChanged, on a Kafka in memory. */
export async function startService(react?: React, prepare: (kafka: InMemoryKafka) => void = () => undefined) {
  const kafka = new InMemoryKafka([PriceChanged.topic]);
  prepare(kafka);
  const { consumer } = consumerOf(PriceChanged.topic, react);
  const app = await startApp(kafka, [consumer as Type]);
  apps.push(app);
  const reader = kafka.consumers[0];
  if (reader === undefined) throw new Error('no consumer was made');
  /** Resolves when messages up to this offset are acknowledged. */
  const read = (offset: number) =>
    eventually(
      () => reader.position(PriceChanged.topic),
      (position) => position >= offset,
    );
  return { app, kafka, reader, consumer, read, health: app.get(HealthRegistry) };
}

export async function stopServices(): Promise<void> {
  jest.restoreAllMocks();
  await Promise.all(apps.splice(0).map((app) => app.close()));
}

/** Exit codes with which the process was to end; it goes on. */
export function exitCodes(): unknown[] {
  const codes: unknown[] = [];
  jest.spyOn(process, 'exit').mockImplementation((code) => {
    codes.push(code);
    process.exitCode = 0;
    return undefined as never;
  });
  return codes;
}
