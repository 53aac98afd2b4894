import { KafkaRetriableException } from '@nestjs/microservices';

/** A consumer throws it when no further attempt can help: the message becomes a dead letter at once. */
export class PermanentError extends Error {
  /** Goes into the dead letter's `x-error-code`. */
  readonly code: string = 'permanent';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The message is no envelope, or its data breaks the rules of the event's class. */
export class InvalidMessageError extends PermanentError {
  override readonly code = 'invalid_message';
}

/** The bus refuses the message for ever, for example because it is larger than the broker accepts. */
export class UnsendableMessageError extends Error {
  override readonly name = 'UnsendableMessageError';
}

/**
 * Tells the transport to deliver the message again later: the partition waits. The cause says why; it keeps an outage
 * recognisable for `isDependencyAway`.
 */
export class MessageHeldError extends KafkaRetriableException {
  override readonly name = 'MessageHeldError';
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super(`held: ${cause instanceof Error ? cause.message : String(cause)}`);
    this.cause = cause;
  }
}

/** The heartbeat of a waiting consumer failed: kafkajs must see its own error, so that it joins the group again. */
export class HeartbeatFailedError extends Error {
  override readonly name = 'HeartbeatFailedError';
}
