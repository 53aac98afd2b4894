import type { INestApplication } from '@nestjs/common';
import { HealthRegistry } from '#runtime/health.registry.js';
import { loggerFor } from '#runtime/logger.js';
import { ConsumerGroup } from './consumer/consumer-group.js';
import { EventBus } from './event-bus.js';
import { InProcessBus } from './in-process/in-process.bus.js';
import { InProcessServer } from './in-process/in-process.server.js';
import { ConsumerWatch } from './kafka/consumer-watch.js';
import { KafkaClients } from './kafka/kafka-clients.js';
import { KafkaServer, type ConsumerOptions } from './kafka/kafka.server.js';

const SHUTDOWN_LIMIT_MS = 15_000;

/**
 * Starts the consumers of an application; call it last before `app.listen()`. It initialises the application first, so
 * that no message meets a half-built provider, and returns when the consumers have their partitions.
 *
 * A consumer that dies for good ends the process with exit code 1, after a graceful shutdown.
 *
 * @throws Error when a topic does not exist, or the group can't be joined
 */
export async function connectMessaging(app: INestApplication, options: ConsumerOptions): Promise<void> {
  app.get(ConsumerGroup).id = options.groupId;
  const bus = app.get(EventBus);
  if (bus instanceof InProcessBus) {
    app.connectMicroservice({ strategy: new InProcessServer(bus) });
    await app.init();
    await app.startAllMicroservices();
    return;
  }
  await connectKafka(app, app.get(KafkaClients), options);
}

async function connectKafka(app: INestApplication, clients: KafkaClients, options: ConsumerOptions): Promise<void> {
  const watch = new ConsumerWatch(() => void shutdownAndExit(app));
  const server = new KafkaServer(clients, watch, options);
  app.connectMicroservice({ strategy: server });
  await app.init();
  await app.startAllMicroservices();
  if (server.topics.length === 0) return;
  await watch.untilJoined();
  await server.watchLag();
  const health = app.get(HealthRegistry);
  health.register('kafka', () => {
    watch.checkReady();
  });
  health.registerLiveness('kafka-consumer', () => {
    watch.checkAlive();
  });
}

/** Ends the process so that it is restarted; open work gets its chance to finish first. */
async function shutdownAndExit(app: INestApplication): Promise<void> {
  process.exitCode = 1;
  const limit = setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS);
  try {
    await app.close();
  } catch (error) {
    loggerFor('consumer').error({ err: error }, 'the shutdown failed');
  }
  clearTimeout(limit);
  process.exit(1);
}
