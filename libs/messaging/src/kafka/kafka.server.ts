import { KafkaParser, ServerKafka, type MessageHandler } from '@nestjs/microservices';
import { Partitioners } from 'kafkajs';
import { watchLag } from './consumer-lag.js';
import { consumerSettings } from './consumer-settings.js';
import type { ConsumerWatch } from './consumer-watch.js';
import { withinCloseLimit } from './close-limit.js';
import type { KafkaClients } from './kafka-clients.js';
import { requireTopics } from './require-topics.js';

export interface ConsumerOptions {
  /** Instances of one group share the partitions. */
  groupId: string;
  /** Whether a new group reads what was published before it first joined: true for work, false for wake-ups. */
  fromBeginning: boolean;
}

/** Nest's Kafka server with our settings. */
export class KafkaServer extends ServerKafka {
  private stopWatchingLag: (() => Promise<void>) | undefined;

  constructor(
    private readonly clients: KafkaClients,
    private readonly watch: ConsumerWatch,
    { groupId, fromBeginning }: ConsumerOptions,
  ) {
    super({
      client: clients.settings(),
      postfixId: '',
      consumer: consumerSettings(groupId),
      subscribe: { fromBeginning },
      // Without it offsets are committed after a whole batch, and a crash delivers all of it again.
      run: { autoCommitThreshold: 1 },
      // Nest connects it; we publish through KafkaBus.
      producer: { allowAutoTopicCreation: false, createPartitioner: Partitioners.DefaultPartitioner },
      parser: { keepBinary: true },
    });
    this.parser = new BinaryParser({ keepBinary: true });
  }

  override addHandler(
    pattern: string,
    callback: MessageHandler,
    isEvent?: boolean,
    extras?: Record<string, unknown>,
  ): void {
    // Nest would join them, and one failure would replay all.
    if (this.messageHandlers.has(pattern)) throw new Error(`Two consumers of ${pattern} in one process.`);
    super.addHandler(pattern, callback, isEvent, extras);
  }

  override async listen(callback: (error?: unknown) => void): Promise<void> {
    if (this.topics.length === 0) {
      callback();
      return;
    }
    try {
      await requireTopics(this.clients, this.topics);
    } catch (error) {
      callback(error);
      return;
    }
    await super.listen(callback);
  }

  /** Call it once the group is joined. */
  async watchLag(): Promise<void> {
    this.stopWatchingLag = await watchLag(this.clients.create(), this.groupId, this.topics);
  }

  override async close(): Promise<void> {
    await withinCloseLimit(Promise.all([this.stopWatchingLag?.(), super.close()]));
  }

  get topics(): string[] {
    return [...this.messageHandlers.keys()];
  }

  override createClient<T>(): Promise<T> {
    return Promise.resolve(this.clients.create() as T);
  }

  /** Here and not after listen(): the first GROUP_JOIN comes before it returns. */
  protected override registerConsumerEventListeners(): void {
    super.registerConsumerEventListeners();
    if (this.consumer !== null) this.watch.observe(this.consumer);
  }
}

/** `keepBinary` leaves only the value alone: a key or header that begins with { would come out as an object. */
class BinaryParser extends KafkaParser {
  override decode(bytes: Buffer | null): Buffer | null {
    return bytes;
  }
}
