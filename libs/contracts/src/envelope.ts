import { v7 as uuidv7 } from 'uuid';
import type { Topic } from './topics.js';

/** CloudEvents 1.0 in JSON. `data` holds ids and counts, never lists: a message is a claim ticket. */
export interface Envelope<T = unknown> {
  specversion: '1.0';
  /** UUIDv7, unique per event; a consumer that must act once keys its inbox on it. */
  id: string;
  source: string;
  /** The topic's name: one type of event per topic. */
  type: string;
  /** RFC 3339. */
  time: string;
  /** The asset. */
  subject: string;
  datacontenttype: 'application/json';
  /** W3C trace context: a trace survives the outbox. */
  traceparent?: string;
  data: T;
}

export function envelope<T>(topic: Topic, source: string, assetId: string, data: T, traceparent?: string): Envelope<T> {
  return {
    specversion: '1.0',
    id: uuidv7(),
    source: `/tallyport/${source}`,
    type: topic,
    time: new Date().toISOString(),
    subject: assetId,
    datacontenttype: 'application/json',
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  };
}
