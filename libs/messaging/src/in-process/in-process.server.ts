import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { InProcessContext, type ReceivedMessage } from '../consumer/received-message.js';
import type { OutgoingMessage } from '../event-bus.js';
import type { BatchQueue } from './batch-queue.js';
import type { InProcessBus } from './in-process.bus.js';

/** Nest's side of the in-process bus: the same consumers, pipes and filters as on Kafka. */
export class InProcessServer extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  private readonly consumers = new Map<string, MessageHandler[]>();
  private readonly deliveries = new Set<Promise<unknown>>();
  private delivered = 0;

  constructor(
    private readonly bus: InProcessBus,
    private readonly batches: BatchQueue[] = [],
  ) {
    super();
  }

  /** Kept apart and not chained: consumers of one topic fail independently, as groups do on Kafka. */
  override addHandler(pattern: string, callback: MessageHandler, isEventHandler = false): void {
    callback.isEventHandler = isEventHandler;
    this.consumers.set(pattern, [...(this.consumers.get(pattern) ?? []), callback]);
  }

  listen(callback: () => void): void {
    for (const queue of this.batches) queue.start();
    this.bus.attach((message) => this.deliver(message));
    callback();
  }

  /** Waits for the handlers that run. */
  async close(): Promise<void> {
    this.bus.attach(undefined);
    const queues = Promise.all(this.batches.map((queue) => queue.close()));
    while (this.deliveries.size > 0) await Promise.allSettled(this.deliveries);
    await queues;
  }

  private async deliver({ topic, key, value, headers }: OutgoingMessage): Promise<void> {
    const received: ReceivedMessage = {
      topic,
      partition: 0,
      offset: String(this.delivered++),
      message: {
        key: Buffer.from(key),
        value: Buffer.from(value),
        headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(text)])),
      },
      heartbeat: () => Promise.resolve(),
    };
    const delivery = Promise.allSettled([
      ...(this.consumers.get(topic) ?? []).map((consumer) => handle(consumer, received)),
      ...this.batches.filter((queue) => queue.topic === topic).map((queue) => queue.deliver(received)),
    ]);
    this.deliveries.add(delivery);
    const results = await delivery.finally(() => this.deliveries.delete(delivery));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  on(): never {
    throw new Error('The in-process bus has no events.');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest's signature
  unwrap<T>(): T {
    return this.bus as T;
  }
}

async function handle(consumer: MessageHandler, received: ReceivedMessage): Promise<void> {
  const result = (await consumer(received.message.value, new InProcessContext([received]))) as unknown;
  if (isObservable(result)) await lastValueFrom(result);
}
