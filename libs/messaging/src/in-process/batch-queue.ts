import { EventEmitter, once } from 'node:events';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import type { BatchHandling, Turn } from '../consumer/batch-handling.js';
import { PIECE, pieces } from '../consumer/pieces.js';
import type { ReceivedMessage } from '../consumer/received-message.js';

interface Delivery {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The messages that wait for a batch consumer of this process. What has come while a batch was handled is the next one,
 * so batches grow with the load, and a single message waits for nothing.
 */
export class BatchQueue {
  private readonly waiting: ReceivedMessage[] = [];
  private readonly deliveries = new Map<ReceivedMessage, Delivery>();
  private readonly bell = new EventEmitter();
  private readonly turn: Turn = { heartbeat: () => Promise.resolve(), isRunning: () => !this.closed };
  private closed = false;
  private loops: Promise<void>[] = [];

  constructor(
    private readonly handling: BatchHandling,
    private readonly writers: number,
  ) {}

  get topic(): string {
    return this.handling.consumer.event.topic;
  }

  /** The loops begin here and not with the first message: they would keep the context of its request for good. */
  start(): void {
    this.loops = Array.from({ length: this.writers }, () => this.run());
  }

  /** Resolves when the message is handled or a dead letter; rejects when it must come again. */
  deliver(received: ReceivedMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.deliveries.set(received, { resolve, reject });
      this.waiting.push(received);
      this.bell.emit('ring');
    });
  }

  /** Waits for what is being handled, which is not tried again. What waits goes back: its outbox rows stay. */
  async close(): Promise<void> {
    this.closed = true;
    this.bell.emit('ring');
    const error = new DependencyAwayError('the consumers of this process are closing');
    for (const received of this.waiting.splice(0)) {
      this.settle(received, ({ reject }) => {
        reject(error);
      });
    }
    await Promise.all(this.loops);
  }

  private async run(): Promise<void> {
    for (;;) {
      const messages = this.waiting.splice(0, PIECE.messages);
      if (messages.length > 0) await this.handle(messages);
      else if (this.closed) return;
      else await once(this.bell, 'ring');
    }
  }

  /** Never rejects. */
  private async handle(messages: ReceivedMessage[]): Promise<void> {
    for (const piece of pieces(this.handling.consumer.event, messages)) {
      const end = await this.handling.take(piece, this.turn).then(
        () => (delivery: Delivery) => {
          delivery.resolve();
        },
        (error: unknown) => (delivery: Delivery) => {
          delivery.reject(error);
        },
      );
      for (const { received } of piece) this.settle(received, end);
    }
  }

  private settle(received: ReceivedMessage, end: (delivery: Delivery) => void): void {
    const delivery = this.deliveries.get(received);
    this.deliveries.delete(received);
    if (delivery !== undefined) end(delivery);
  }
}
