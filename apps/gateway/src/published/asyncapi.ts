import { VISITOR_BUCKETS } from '#contracts/collect/collected.js';
import type { Envelope } from '#contracts/envelope.js';
import { DEAD_LETTER_RETENTION_MS, deadLetterTopic, TOPICS, type Topic } from '#contracts/topics.js';
import { schemaOfClass } from './class-schema.js';
import { EXAMPLE_ASSET } from './event-text.asyncapi.js';
import { EVENTS } from './events.asyncapi.js';
import { objectOf, schemaRef, TIMESTAMP, UUID, type Schema } from './object-schema.js';

const KAFKA_BINDING = '0.5.0';
const TOPIC_NAMES = Object.keys(TOPICS) as Topic[];

const DESCRIPTION = `What happens inside Tallyport, for those who want to know of it.

Every message is a CloudEvents 1.0 envelope in JSON, keyed by the asset, with ids and counts and never lists; but what collectors send comes as lists of records, keyed by the asset and a bucket, and collectors may publish it themselves. Delivery is at least once: a consumer that must act once remembers the \`id\`. A message that a consumer could not handle goes to the dead-letter topic of its topic, unchanged, with headers that say why.`;

const HEADERS: Record<string, Schema> = {
  'content-type': { type: 'string', enum: ['application/cloudevents+json'] },
  traceparent: { type: 'string', description: 'W3C trace context, the same as in the envelope.' },
};

/** The headers that a dead letter has besides its own. */
export const DEAD_LETTER_HEADERS: Record<string, Schema> = {
  'x-error-code': { type: 'string', description: '`invalid_message`, `handler_failed`, …' },
  'x-error-class': { type: 'string' },
  'x-error-message': { type: 'string', description: 'The error in a sentence.' },
  'x-origin-topic': { type: 'string' },
  'x-origin-partition': { type: 'string' },
  'x-origin-offset': { type: 'string' },
  'x-consumer': { type: 'string', description: 'The group that gave up.' },
  'x-failed-at': TIMESTAMP,
};

/** The AsyncAPI document of all topics. */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    id: 'urn:tallyport:events',
    info: { title: 'Tallyport events', version: '1.0.0', description: DESCRIPTION },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(TOPIC_NAMES.flatMap((topic) => [eventChannel(topic), deadLetterChannel(topic)])),
    operations: Object.fromEntries(TOPIC_NAMES.flatMap(operationsOf)),
    components: {
      messages: Object.fromEntries(
        TOPIC_NAMES.flatMap((topic) => [
          [idOf(topic), eventMessage(topic)],
          [deadLetterId(topic), deadLetterMessage(topic)],
        ]),
      ),
      schemas: {
        Envelope: envelopeSchema(),
        ...Object.fromEntries(
          TOPIC_NAMES.map((topic) => [
            EVENTS[topic].type.name,
            schemaOfClass(EVENTS[topic].type, EVENTS[topic].descriptions),
          ]),
        ),
      },
    },
  };
}

function eventChannel(topic: Topic): [string, object] {
  const { partitions, retentionMs, summary } = TOPICS[topic];
  return channel(idOf(topic), topic, summary, partitions, retentionMs);
}

function deadLetterChannel(topic: Topic): [string, object] {
  return channel(
    deadLetterId(topic),
    deadLetterTopic(topic),
    `What a consumer of ${topic} could not handle.`,
    1,
    DEAD_LETTER_RETENTION_MS,
  );
}

function channel(
  id: string,
  address: string,
  summary: string,
  partitions: number,
  retentionMs: number,
): [string, object] {
  const topicConfiguration = { 'cleanup.policy': ['delete'], 'retention.ms': retentionMs };
  return [
    id,
    {
      address,
      summary,
      messages: { [id]: { $ref: `#/components/messages/${id}` } },
      bindings: { kafka: { topic: address, partitions, topicConfiguration, bindingVersion: KAFKA_BINDING } },
    },
  ];
}

function operationsOf(topic: Topic): [string, object][] {
  const { from, to, bucketOf } = EVENTS[topic];
  // On Kafka what was collected goes straight to the broker.
  const origin = bucketOf === undefined ? ', from its outbox' : '';
  const operation = (action: 'send' | 'receive', service: string, id: string, summary: string): [string, object] => [
    `${service}.${action}.${id}`,
    {
      action,
      summary,
      tags: [{ name: service }],
      channel: { $ref: `#/channels/${id}` },
      messages: [{ $ref: `#/channels/${id}/messages/${id}` }],
    },
  ];
  return [
    ...from.map((service) => operation('send', service, idOf(topic), `The ${service} publishes it${origin}.`)),
    ...to.flatMap((service) => [
      operation('receive', service, idOf(topic), `The ${service} reads it.`),
      operation('send', service, deadLetterId(topic), `The ${service} puts away what it could not handle.`),
    ]),
  ];
}

function eventMessage(topic: Topic): object {
  const { type, example, from, bucketOf } = EVENTS[topic];
  const payload: Envelope = {
    specversion: '1.0',
    id: '019aa1c2-8c01-7d10-8f2b-3a4b5c6d7e8f',
    source: `/tallyport/${from[0] ?? ''}`,
    type: topic,
    time: '2026-01-05T08:00:00.210Z',
    subject: EXAMPLE_ASSET,
    datacontenttype: 'application/json',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    data: example,
  };
  return {
    name: topic,
    title: type.name,
    summary: TOPICS[topic].summary,
    contentType: 'application/cloudevents+json',
    headers: { type: 'object', required: Object.keys(HEADERS), properties: HEADERS },
    payload: payloadOf(topic),
    bindings: { kafka: { key: keyOf(bucketOf), bindingVersion: KAFKA_BINDING } },
    examples: [
      {
        name: 'example',
        summary: TOPICS[topic].summary,
        headers: { 'content-type': 'application/cloudevents+json', traceparent: payload.traceparent },
        payload,
      },
    ],
  };
}

function keyOf(bucketOf: string | undefined): Schema {
  if (bucketOf === undefined) return { ...UUID, description: 'The asset.' };
  return {
    type: 'string',
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9]+$',
    description: `\`<asset>:<bucket>\`, where the bucket is a hash of ${bucketOf} modulo ${VISITOR_BUCKETS}: what has one key stays in order.`,
  };
}

function payloadOf(topic: Topic): Schema {
  return {
    allOf: [
      schemaRef('Envelope'),
      {
        type: 'object',
        properties: { type: { type: 'string', enum: [topic] }, data: schemaRef(EVENTS[topic].type.name) },
      },
    ],
  };
}

/** Its value is what could not be handled, so nothing is promised of it. */
function deadLetterMessage(topic: Topic): object {
  return {
    name: deadLetterTopic(topic),
    title: `Dead letter of ${topic}`,
    summary:
      'The original key, value and headers, and headers that say why. A message without key and value notes which letters were replayed (`x-replayed`).',
    headers: {
      type: 'object',
      properties: {
        ...HEADERS,
        ...DEAD_LETTER_HEADERS,
        'x-replayed': { type: 'string', description: 'Ids of replayed letters, separated by commas.' },
      },
    },
    payload: {},
    bindings: { kafka: { key: { type: ['string', 'null'] }, bindingVersion: KAFKA_BINDING } },
  };
}

function envelopeSchema(): Schema {
  return objectOf<Envelope>(
    {
      specversion: { type: 'string', enum: ['1.0'] },
      id: { ...UUID, description: 'UUIDv7, unique per event.' },
      source: { type: 'string', format: 'uri-reference' },
      type: { type: 'string', enum: TOPIC_NAMES, description: 'The topic.' },
      time: TIMESTAMP,
      subject: { ...UUID, description: 'The asset.' },
      datacontenttype: { type: 'string', enum: ['application/json'] },
      traceparent: { type: 'string', description: 'W3C trace context.' },
      data: { type: 'object' },
    },
    { optional: ['traceparent'], description: 'CloudEvents 1.0 in JSON.' },
  );
}

/** `cost-import.requested.v1` as an id without dots. */
function idOf(topic: Topic): string {
  return topic.replaceAll('.', '-');
}

function deadLetterId(topic: Topic): string {
  return `${idOf(topic)}-dead-letters`;
}
