import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ClientKafka } from '@nestjs/microservices';
import { Partitioners, type Message } from 'kafkajs';
import { lastValueFrom } from 'rxjs';
import { deadLetterTopic } from '#contracts/topics.js';
import { EventBus, type DeadLetter, type OutgoingMessage, type RawMessage } from '../event-bus.js';
import { UnsendableMessageError } from '../errors.js';
import { withinCloseLimit } from './close-limit.js';
import { KafkaClients } from './kafka-clients.js';

/** The broker refuses over 1 MB for one partition in one request, and kafkajs does not split. */
export const MAX_BATCH_BYTES = 500_000;

/** No later attempt can send these. */
const UNSENDABLE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TOPIC_EXCEPTION']);

/** Publishes to Kafka, acknowledged by all in-sync replicas. Connects with the first message. */
@Injectable()
export class KafkaBus extends EventBus implements OnApplicationShutdown {
  readonly durable = true;
  private readonly producer: Producer;

  constructor(@Inject(KafkaClients) clients: KafkaClients) {
    super();
    this.producer = new Producer(clients);
  }

  async publish(messages: OutgoingMessage[]): Promise<void> {
    for (const batch of batches(messages)) {
      await Promise.all([...byTopic(batch)].map(([topic, records]) => this.send(topic, records)));
    }
  }

  async deadLetter({ topic, message, reason }: DeadLetter): Promise<void> {
    await this.sendRaw(deadLetterTopic(topic), { ...message, headers: { ...message.headers, ...reason } });
  }

  /** Sends bytes as they are, for dead letters and their replay. */
  async sendRaw(topic: string, message: Omit<RawMessage, 'headers'> & { headers: Message['headers'] }): Promise<void> {
    await this.send(topic, [message]);
  }

  async onApplicationShutdown(): Promise<void> {
    await withinCloseLimit(this.producer.close());
  }

  private async send(topic: string, messages: Message[]): Promise<void> {
    try {
      // Always { key, value, headers }: the serializer takes any object with a top-level key or value for a record.
      await lastValueFrom(this.producer.emitBatch(topic, { messages }));
    } catch (error) {
      if (isUnsendable(error)) throw new UnsendableMessageError(error.message, { cause: error });
      throw error;
    }
  }
}

class Producer extends ClientKafka {
  constructor(private readonly clients: KafkaClients) {
    super({
      client: clients.settings(),
      postfixId: '',
      // Else it would join a reply group.
      producerOnlyMode: true,
      producer: {
        createPartitioner: Partitioners.DefaultPartitioner,
        allowAutoTopicCreation: false,
        idempotent: false,
      },
      send: { acks: -1 },
    });
  }

  override createClient<T>(): Promise<T> {
    return Promise.resolve(this.clients.create() as T);
  }
}

/** Consecutive pieces of at most MAX_BATCH_BYTES each; a single larger message is a piece of its own. */
function* batches(messages: OutgoingMessage[]): Generator<OutgoingMessage[]> {
  let batch: OutgoingMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.value) + Buffer.byteLength(message.key) + 1_000;
    if (batch.length > 0 && bytes + size > MAX_BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function byTopic(messages: OutgoingMessage[]): Map<string, Message[]> {
  const topics = new Map<string, Message[]>();
  for (const { topic, key, value, headers } of messages) {
    const records = topics.get(topic) ?? [];
    records.push({ key, value, headers: headers ?? {} });
    topics.set(topic, records);
  }
  return topics;
}

function isUnsendable(error: unknown): error is Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as { type?: unknown };
    if (typeof type === 'string' && UNSENDABLE.has(type)) return true;
  }
  return false;
}
