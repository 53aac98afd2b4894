import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { BatchHandling, Turn } from '../consumer/batch-handling.js';
import { pieces } from '../consumer/pieces.js';
import { asBuffers, type ReceivedMessage } from '../consumer/received-message.js';
import { HeartbeatFailedError } from '../errors.js';
import { withinCloseLimit } from './close-limit.js';
import { watchLag } from './consumer-lag.js';
import { consumerSettings } from './consumer-settings.js';
import type { ConsumerWatch } from './consumer-watch.js';
import type { KafkaClients } from './kafka-clients.js';
import { requireTopics } from './require-topics.js';

const MAX_PARTITION_BYTES = 4 * 1024 * 1024;
/** A fetch is handled to its end before the next one: room for an equal share of each writer. */
const MAX_FETCH_BYTES = 4 * MAX_PARTITION_BYTES;
/** How often the group is told that a piece is still being handled; kafkajs itself sends not more than it must. */
const HEARTBEAT_MS = 1_000;

export interface BatchOptions {
  groupId: string;
  fromBeginning: boolean;
  /** Partitions that are handled at the same time. */
  writers: number;
}

/**
 * The batch consumers of the process, as one kafkajs consumer in a group of its own: Nest hands over single messages
 * only. Nest starts and closes it like its own servers, so it closes before the database does.
 */
export class KafkaBatchServer extends Server implements CustomTransportStrategy {
  private readonly consumer: Consumer;
  private readonly handlings = new Map<string, BatchHandling>();
  private stopWatchingLag: (() => Promise<void>) | undefined;

  constructor(
    private readonly clients: KafkaClients,
    watch: ConsumerWatch,
    handlings: BatchHandling[],
    private readonly options: BatchOptions,
  ) {
    super();
    for (const handling of handlings) {
      const { topic } = handling.consumer.event;
      if (this.handlings.has(topic)) throw new Error(`Two batch consumers of ${topic} in one process.`);
      this.handlings.set(topic, handling);
    }
    this.consumer = clients.create().consumer({
      ...consumerSettings(options.groupId),
      maxBytesPerPartition: MAX_PARTITION_BYTES,
      maxBytes: MAX_FETCH_BYTES,
    });
    watch.observe(this.consumer);
  }

  /** Nest offers the handlers of controllers to every server; none of them takes batches. */
  override addHandler(): void {
    return;
  }

  listen(callback: (error?: unknown) => void): void {
    this.start().then(() => {
      callback();
    }, callback);
  }

  /** Call it once the group is joined. */
  async watchLag(): Promise<void> {
    this.stopWatchingLag = await watchLag(this.clients.create(), this.options.groupId, this.topics);
  }

  /** Waits for the pieces that are being handled. */
  async close(): Promise<void> {
    await withinCloseLimit(Promise.all([this.stopWatchingLag?.(), this.consumer.disconnect()]));
  }

  on(): never {
    throw new Error('Its events are those of the ConsumerWatch.');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest's signature
  unwrap<T>(): T {
    return this.consumer as T;
  }

  private get topics(): string[] {
    return [...this.handlings.keys()];
  }

  private async start(): Promise<void> {
    const { fromBeginning, writers } = this.options;
    await requireTopics(this.clients, this.topics);
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: this.topics, fromBeginning });
    await this.consumer.run({
      eachBatchAutoResolve: false,
      // Each commitOffsetsIfNecessary() commits.
      autoCommitThreshold: 1,
      partitionsConsumedConcurrently: writers,
      eachBatch: (payload) => this.handleBatch(payload),
    });
  }

  private async handleBatch(payload: EachBatchPayload): Promise<void> {
    const { topic } = payload.batch;
    const handling = this.handlings.get(topic);
    if (handling === undefined) throw new Error(`No batch consumer of ${topic}.`);
    for (const piece of pieces(handling.consumer.event, received(payload))) {
      if (!payload.isRunning() || payload.isStale()) return;
      // After a rebalance has begun it throws, and the group gets the partitions back without another piece.
      await payload.heartbeat();
      await whileBeating(payload, (turn) => handling.take(piece, turn));
      const last = piece.at(-1)?.received;
      if (last === undefined || payload.isStale()) return;
      payload.resolveOffset(last.offset);
      await payload.heartbeat();
      await payload.commitOffsetsIfNecessary();
    }
  }
}

function* received(payload: EachBatchPayload): Generator<ReceivedMessage> {
  const { topic, partition, messages } = payload.batch;
  const heartbeat = (): Promise<void> => payload.heartbeat();
  for (const { key, value, headers, offset } of messages) {
    yield { topic, partition, offset, message: { key, value, headers: asBuffers(headers ?? {}) }, heartbeat };
  }
}

/** Heartbeats while `work` goes on, as kafkajs sends none meanwhile. One that failed ends the attempts of the work. */
async function whileBeating(payload: EachBatchPayload, work: (turn: Turn) => Promise<void>): Promise<void> {
  let failure: HeartbeatFailedError | undefined;
  const beat = async (): Promise<void> => {
    await payload.heartbeat().catch((error: unknown) => {
      failure ??= new HeartbeatFailedError('the group did not take the heartbeat', { cause: error });
    });
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  const turn: Turn = {
    isRunning: () => payload.isRunning(),
    heartbeat: async () => {
      await beat();
      if (failure !== undefined) throw failure;
    },
  };
  try {
    await work(turn);
  } catch (error) {
    // kafkajs must see its own error, so that it joins the group again.
    throw error instanceof HeartbeatFailedError ? error.cause : error;
  } finally {
    clearInterval(timer);
  }
}
