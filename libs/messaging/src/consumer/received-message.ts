import { BaseRpcContext, KafkaContext } from '@nestjs/microservices';
import type { Envelope } from '#contracts/envelope.js';
import type { RawMessage } from '../event-bus.js';
import { parseEnvelope } from './parse-envelope.js';

/** A message in the hands of a consumer, the same on every transport. */
export interface ReceivedMessage {
  topic: string;
  /** In-process there is one. */
  partition: number;
  /** In-process a running number of the process. */
  offset: string;
  message: RawMessage;
  /** Tells the group that this consumer still lives; rejects when the group rebalances. */
  heartbeat: () => Promise<void>;
}

/** What an in-process handler gets as its context. */
export class InProcessContext extends BaseRpcContext<[ReceivedMessage]> {}

const received = new WeakMap<BaseRpcContext, ReceivedMessage>();
const envelopes = new WeakMap<ReceivedMessage, Envelope>();

/** @throws TypeError when the handler was called by another transport than ours */
export function receivedMessage(context: unknown): ReceivedMessage {
  if (context instanceof InProcessContext) return context.getArgByIndex(0) as ReceivedMessage;
  if (!(context instanceof KafkaContext)) throw new TypeError('The consumer was called outside of messaging.');
  const known = received.get(context);
  if (known !== undefined) return known;
  const { key, value, headers, offset } = context.getMessage();
  const message: ReceivedMessage = {
    topic: context.getTopic(),
    partition: context.getPartition(),
    offset,
    message: { key, value, headers: asBuffers(headers ?? {}) },
    heartbeat: context.getHeartbeat(),
  };
  received.set(context, message);
  return message;
}

/**
 * The envelope, parsed once however often the handler is tried.
 *
 * @throws InvalidMessageError
 */
export function envelopeOf(message: ReceivedMessage): Envelope {
  const known = envelopes.get(message);
  if (known !== undefined) return known;
  const parsed = parseEnvelope(message.topic, message.message.value);
  envelopes.set(message, parsed);
  return parsed;
}

type Header = Buffer | string | (Buffer | string)[] | undefined;

/** A header that was given several times keeps its last value. */
export function asBuffers(headers: Record<string, Header>): Record<string, Buffer> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, Buffer.from(value as string)]])),
  ) as Record<string, Buffer>;
}
