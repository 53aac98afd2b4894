import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope } from '#contracts/envelope.js';
import { DependencyAwayError, isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { withContext, type WorkContext } from '#runtime/work-context.js';
import type { BatchConsumer, BatchMessage } from '../batch-consumer.js';
import { HeartbeatFailedError, MessageHeldError, PermanentError } from '../errors.js';
import type { EventBus } from '../event-bus.js';
import { buryMessage, countHeld } from './bury-message.js';
import type { CheckedMessage } from './pieces.js';
import { envelopeOf, type ReceivedMessage } from './received-message.js';
import { contextOf, RETRY_DELAYS_MS } from './retry.interceptor.js';

/** The transport's side of a delivery. */
export interface Turn {
  /** @throws HeartbeatFailedError when the group takes the partition away */
  heartbeat: () => Promise<void>;
  /** False when the process shuts down: then nothing is tried again. */
  isRunning: () => boolean;
}

/** Of messages that are dead letters and come again because a neighbour was held; more are not remembered. */
const MAX_REMEMBERED = 1_000;

interface GivenUp {
  error: unknown;
  told: boolean;
}

/** What becomes of the messages of one batch consumer, the same on every transport. */
export class BatchHandling<T extends object = object> {
  private readonly log = loggerFor('consumer');
  private readonly givenUp = new Map<string, GivenUp>();

  constructor(
    readonly consumer: BatchConsumer<T>,
    private readonly bus: EventBus,
    private readonly group: string,
  ) {}

  /**
   * Resolves when each message is handled or a dead letter. When it rejects, all of them must come again.
   *
   * @throws MessageHeldError when a dependency is away or the process shuts down
   * @throws HeartbeatFailedError
   */
  async take(piece: readonly CheckedMessage<T>[], turn: Turn): Promise<void> {
    const open: BatchMessage<T>[] = [];
    for (const checked of piece) {
      const { received } = checked;
      const known = this.givenUp.get(placeOf(received));
      if (known !== undefined) await this.giveUp(received, known.error, turn);
      else if ('error' in checked) await this.giveUp(received, checked.error, turn);
      else open.push(checked.message);
    }
    await this.handle(open, turn);
    for (const { received } of piece) this.givenUp.delete(placeOf(received));
  }

  private async handle(messages: readonly BatchMessage<T>[], turn: Turn): Promise<void> {
    const [first, ...others] = messages;
    if (first === undefined) return;
    const context = others.length === 0 ? contextOf(first.received) : batchContext(messages);
    const failure = await withContext(context, () => this.failureOf(messages, turn));
    if (failure === undefined) return;
    if (others.length === 0) await this.giveUp(first.received, failure.error, turn);
    else for (const message of messages) await this.handle([message], turn);
  }

  private async failureOf(messages: readonly BatchMessage<T>[], turn: Turn): Promise<{ error: unknown } | undefined> {
    try {
      await this.attempt(() => this.consumer.handle(messages), turn);
      return undefined;
    } catch (error) {
      this.rethrowHeld(error, messages);
      if (messages.length > 1) this.log.warn({ err: error }, 'a batch failed; its messages are handled one by one');
      return { error };
    }
  }

  private async giveUp(received: ReceivedMessage, error: unknown, turn: Turn): Promise<void> {
    await withContext(contextOf(received), async () => {
      const letter = await this.bury(received, error);
      if (letter.told) return;
      try {
        await this.attempt(() => this.consumer.gaveUp({ received, envelope: readableEnvelope(received), error }), turn);
      } catch (failure) {
        this.rethrowHeld(failure, [{ received }]);
        this.log.error({ err: failure }, 'the consumer could not note that a message was given up');
      }
      letter.told = true;
    });
  }

  private async bury(received: ReceivedMessage, error: unknown): Promise<GivenUp> {
    const place = placeOf(received);
    const known = this.givenUp.get(place);
    if (known !== undefined) return known;
    try {
      await buryMessage(this.bus, this.group, received, error);
    } catch (failure) {
      throw new MessageHeldError(failure);
    }
    const letter = { error, told: false };
    this.givenUp.set(place, letter);
    const [oldest] = this.givenUp.keys();
    if (this.givenUp.size > MAX_REMEMBERED && oldest !== undefined) this.givenUp.delete(oldest);
    return letter;
  }

  private async attempt(work: () => Promise<void>, turn: Turn): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        const delay = RETRY_DELAYS_MS[attempt - 1];
        if (error instanceof PermanentError || delay === undefined) throw error;
        if (!turn.isRunning()) throw new DependencyAwayError('the consumer is closing', { cause: error });
        this.log.warn({ err: error, attempt }, 'a consumer failed and tries again');
        await turn.heartbeat();
        await sleep(delay);
      }
    }
  }

  /** An error after which the messages must come again; of any other the caller disposes. */
  private rethrowHeld(error: unknown, messages: readonly { received: ReceivedMessage }[]): void {
    if (error instanceof HeartbeatFailedError || error instanceof MessageHeldError) throw error;
    if (error instanceof PermanentError || !isDependencyAway(error)) return;
    const topic = this.consumer.event.topic;
    countHeld(topic, messages.length);
    this.log.warn({ err: error, messages: messages.length }, 'a dependency is away; the messages wait');
    throw new MessageHeldError(error);
  }
}

function placeOf({ topic, partition, offset }: ReceivedMessage): string {
  return `${topic}/${partition}/${offset}`;
}

/** Of several traces none is the one of the batch: it begins its own. */
function batchContext(messages: readonly BatchMessage<object>[]): WorkContext {
  const [first] = messages;
  if (first === undefined) return {};
  const { topic, partition, offset } = first.received;
  return { topic, partition, offset, messages: messages.length, traceparent: undefined };
}

function readableEnvelope(received: ReceivedMessage): Envelope | undefined {
  try {
    return envelopeOf(received);
  } catch {
    return undefined;
  }
}
