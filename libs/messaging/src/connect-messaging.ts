import type { INestApplication } from '@nestjs/common';
import { HealthRegistry } from '#runtime/health.registry.js';
import { loggerFor } from '#runtime/logger.js';
import { BatchHandling } from './consumer/batch-handling.js';
import { ConsumerGroup } from './consumer/consumer-group.js';
import { EventBus } from './event-bus.js';
import { findBatchConsumers } from './find-batch-consumers.js';
import { BatchQueue } from './in-process/batch-queue.js';
import { InProcessBus } from './in-process/in-process.bus.js';
import { InProcessServer } from './in-process/in-process.server.js';
import { ConsumerWatch } from './kafka/consumer-watch.js';
import { KafkaBatchServer } from './kafka/kafka-batch.server.js';
import { KafkaClients } from './kafka/kafka-clients.js';
import { KafkaServer, type ConsumerOptions } from './kafka/kafka.server.js';

const SHUTDOWN_LIMIT_MS = 15_000;
/** One writer takes about 10,000 collected events a second, two almost twice as many. */
const KAFKA_WRITERS = 2;
/** Requests are served by the same process. */
const IN_PROCESS_WRITERS = 1;

export interface MessagingOptions extends ConsumerOptions {
  /**
   * Batches that the batch consumers handle at the same time: on Kafka of all topics together, each of another
   * partition (default 2); in-process of each consumer (default 1).
   */
  batchWriters?: number;
}

/**
 * Starts the consumers of an application: controllers with `@KafkaConsumer()`, and providers that extend BatchConsumer,
 * which on Kafka read in a group of their own, `<groupId>-batches`. Call it last before `app.listen()`. It initialises
 * the application first, so that no message meets a half-built provider, and returns when the consumers have their
 * partitions.
 *
 * A consumer that dies for good ends the process with exit code 1, after a graceful shutdown.
 *
 * @throws Error when a topic does not exist, or the group can't be joined
 */
export async function connectMessaging(app: INestApplication, options: MessagingOptions): Promise<void> {
  app.get(ConsumerGroup).id = options.groupId;
  const bus = app.get(EventBus);
  const handlings = findBatchConsumers(app).map((consumer) => new BatchHandling(consumer, bus, options.groupId));
  if (bus instanceof InProcessBus) {
    const writers = options.batchWriters ?? IN_PROCESS_WRITERS;
    const queues = handlings.map((handling) => new BatchQueue(handling, writers));
    app.connectMicroservice({ strategy: new InProcessServer(bus, queues) });
    await app.init();
    await app.startAllMicroservices();
    return;
  }
  await connectKafka(app, handlings, options);
}

/** A server of Kafka and what watches it. */
interface Watched {
  server: KafkaServer | KafkaBatchServer;
  watch: ConsumerWatch;
  /** Names of its health checks. */
  ready: string;
  alive: string;
}

async function connectKafka(app: INestApplication, handlings: BatchHandling[], options: MessagingOptions) {
  const clients = app.get(KafkaClients);
  const exit = exitOnce(app);
  const watch = new ConsumerWatch(options.groupId, exit);
  const messages = new KafkaServer(clients, watch, options);
  app.connectMicroservice({ strategy: messages });
  const watched: Watched[] = [];
  if (handlings.length > 0) watched.push(batchServer(app, clients, handlings, options, exit));
  await app.init();
  await app.startAllMicroservices();
  if (messages.topics.length > 0) watched.push({ server: messages, watch, ready: 'kafka', alive: 'kafka-consumer' });
  const health = app.get(HealthRegistry);
  for (const { server, watch: own, ready, alive } of watched) {
    await own.untilJoined();
    await server.watchLag();
    health.register(ready, () => {
      own.checkReady();
    });
    health.registerLiveness(alive, () => {
      own.checkAlive();
    });
  }
}

function batchServer(
  app: INestApplication,
  clients: KafkaClients,
  handlings: BatchHandling[],
  { groupId, fromBeginning, batchWriters = KAFKA_WRITERS }: MessagingOptions,
  exit: () => void,
): Watched {
  const group = `${groupId}-batches`;
  const watch = new ConsumerWatch(group, exit);
  const settings = { groupId: group, fromBeginning, writers: batchWriters };
  const server = new KafkaBatchServer(clients, watch, handlings, settings);
  app.connectMicroservice({ strategy: server });
  return { server, watch, ready: 'kafka-batches', alive: 'kafka-batch-consumer' };
}

/** Ends the process so that it is restarted; open work gets its chance to finish first. */
function exitOnce(app: INestApplication): () => void {
  let ending: Promise<void> | undefined;
  return () => {
    ending ??= shutdownAndExit(app);
  };
}

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
