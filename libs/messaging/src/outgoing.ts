import { envelope } from '#contracts/envelope.js';
import type { Topic } from '#contracts/topics.js';
import { nextTraceparent } from '#runtime/work-context.js';
import type { OutgoingMessage } from './event-bus.js';

/** The services that publish; the source of their events. */
export type PublishingService = 'gateway' | 'import-worker' | 'reporting' | 'integrity' | 'mmm-lift';

export interface OutgoingEvent extends OutgoingMessage {
  /** Of the envelope. */
  id: string;
  headers: Record<string, string>;
}

/**
 * An event as a message: the envelope with a new id, keyed by the asset unless another key is given, in the trace of the
 * work at hand. For an outbox row, and for publishing without one where `EventBus.durable` allows it.
 */
export function outgoingEvent(
  service: PublishingService,
  topic: Topic,
  assetId: string,
  data: object,
  key = assetId,
): OutgoingEvent {
  const traceparent = nextTraceparent();
  const event = envelope(topic, service, assetId, data, traceparent);
  const headers = { 'content-type': 'application/cloudevents+json', traceparent };
  return { id: event.id, topic, key, value: JSON.stringify(event), headers };
}
