/** A message on its way out. `value` is the finished text: an envelope as JSON. */
export interface OutgoingMessage {
  topic: string;
  /** Messages of one key share a partition; the asset, for collected events asset and visitor bucket. */
  key: string;
  value: string;
  headers?: Record<string, string>;
}

/** The only way to publish. Kafka in production and on the stack, in-process in the embedded mode. */
export abstract class EventBus {
  /**
   * Whether the bus itself keeps a message that publish() took: then what needs no transaction may be published without
   * an outbox row (see `outgoingEvent`). True on Kafka. False in-process: there the committed row is the only copy.
   */
  abstract readonly durable: boolean;

  /**
   * Resolves when everything is safe: acknowledged by the broker, or in-process handled by every consumer or put into
   * the dead-letter table. A failed call may have sent a part; sending all of it again is right.
   *
   * @throws UnsendableMessageError when a message can never be sent (too large)
   * @throws what isDependencyAway() accepts when trying again later is right
   */
  abstract publish(messages: OutgoingMessage[]): Promise<void>;

  /**
   * Puts what a consumer could not handle among the dead letters, with its original bytes and the reason in headers;
   * resolves when it is durable, and only then the message may be acknowledged.
   */
  abstract deadLetter(letter: DeadLetter): Promise<void>;
}

/** A message as the transport delivered it; both buses keep it untouched. */
export interface RawMessage {
  key: Buffer | null;
  /** Null: a tombstone. */
  value: Buffer | null;
  headers: Record<string, Buffer>;
}

export interface DeadLetter {
  /** Where the message came from. */
  topic: string;
  message: RawMessage;
  /** `x-error-*`, `x-origin-*`, `x-consumer`, `x-failed-at`. */
  reason: Record<string, string>;
}
