import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BatchConsumer } from './batch-consumer.js';

/** The providers of the application that extend BatchConsumer, each once. */
export function findBatchConsumers(app: INestApplication): BatchConsumer<object>[] {
  const instances = app
    .get(DiscoveryService, { strict: false })
    .getProviders()
    .map(({ instance }) => instance as unknown);
  return [
    ...new Set(instances.filter((instance): instance is BatchConsumer<object> => instance instanceof BatchConsumer)),
  ];
}
