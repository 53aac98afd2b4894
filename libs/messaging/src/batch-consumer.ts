import type { Envelope } from '#contracts/envelope.js';
import type { ReceivedMessage } from './consumer/received-message.js';
import type { EventClass } from './event-class.js';

/** A message whose envelope and data were checked. */
export interface BatchMessage<T> {
  /** Of the envelope; the same when the message comes again. */
  id: string;
  /** Of the envelope: who published it, `/tallyport/gateway`. Empty when it is no text. */
  source: string;
  /** An instance of the class, the rules of its members checked; members that it does not know are dropped. */
  data: T;
  received: ReceivedMessage;
}

/** A message that is a dead letter now. */
export interface GivenUpMessage {
  received: ReceivedMessage;
  /** Undefined when the message is no envelope. Its data is as it came: nothing of it was checked. */
  envelope: Envelope | undefined;
  error: unknown;
}

/**
 * Takes a topic in batches, on Kafka and in-process alike. A provider that extends it is found by `connectMessaging`;
 * nothing else is to be written. handle() only throws; what becomes of the messages is decided by messaging:
 *
 * 1. done: acknowledged, all of them;
 * 2. a message is invalid: a dead letter at once, and handle() never sees it;
 * 3. a dependency is away: a few attempts, then the partition waits, however long it takes;
 * 4. anything else: a few attempts, then each message alone with as many; those that fail alone become dead letters.
 *    A PermanentError is not tried again.
 */
export abstract class BatchConsumer<T extends object> {
  /** Its topic is taken. Lists stay as they came: the elements of `records` are nobody's class. */
  abstract readonly event: EventClass<T>;

  /**
   * Resolves when the effect of all messages is durable. They are of one partition and in its order, never none: at most
   * 20, and at most 10,000 `records` and 5 MB together unless a single one is larger. Batches of other partitions may
   * be under way at the same time, see `batchWriters`. A message may come twice, also within one batch, and in another
   * company: act once by its id.
   */
  abstract handle(messages: readonly BatchMessage<T>[]): Promise<void>;

  /**
   * A message was given up as a whole and is a dead letter now: to count it, for example. It may come twice for one
   * message; the same envelope comes to handle() again when an operator replays the letter, so it must not be noted as
   * handled. Tried a few times when it throws; a dependency that is away holds the partition, any other failure is
   * logged and passed over.
   */
  gaveUp(_letter: GivenUpMessage): Promise<void> {
    return Promise.resolve();
  }
}
