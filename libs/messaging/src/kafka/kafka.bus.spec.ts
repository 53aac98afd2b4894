import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } from 'kafkajs';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { EventBus } from '../event-bus.js';
import { UnsendableMessageError } from '../errors.js';
import { MAX_BATCH_BYTES } from './kafka.bus.js';
import { startApp } from '../../testing/kafka-app.js';
import { InMemoryKafka } from '../../testing/in-memory-kafka.js';

let app: INestApplication | undefined;

afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function bus(...topics: string[]): Promise<{ bus: EventBus; kafka: InMemoryKafka }> {
  const kafka = new InMemoryKafka(topics);
  app = await startApp(kafka, []);
  return { bus: app.get(EventBus), kafka };
}

const protocolError = (type: string, retriable: boolean) =>
  new KafkaJSProtocolError(Object.assign(new Error(type), { type, code: 0, retriable }));

describe('publishing to Kafka', () => {
  it('sends key, value and headers as they are, also a value that looks like a record of its own', async () => {
    const { bus: events, kafka } = await bus('a.v1', 'b.v1');
    const value = JSON.stringify({ value: 42, key: 'k', other: 1 });
    await events.publish([
      { topic: 'a.v1', key: '1', value, headers: { traceparent: '00-x' } },
      { topic: 'b.v1', key: '2', value: '"text"' },
      { topic: 'a.v1', key: '3', value: 'null' },
    ]);
    const texts = (topic: string) => kafka.log(topic).map(({ key, value: body }) => [String(key), String(body)]);
    expect(texts('a.v1')).toEqual([
      ['1', value],
      ['3', 'null'],
    ]);
    expect(texts('b.v1')).toEqual([['2', '"text"']]);
    expect(String(kafka.log('a.v1')[0]?.headers['traceparent'])).toBe('00-x');
  });

  it('never puts more than 500 KB into one request', async () => {
    const { bus: events, kafka } = await bus('a.v1');
    const messages = Array.from({ length: 12 }, (_, n) => ({ topic: 'a.v1', key: 'k', value: `${n}`.padEnd(100_000) }));
    await events.publish(messages);
    expect(kafka.log('a.v1').map(({ value }) => Number(String(value)))).toEqual(messages.map((_, n) => n));
    expect(kafka.requests.map(({ bytes }) => bytes <= MAX_BATCH_BYTES)).toEqual([true, true, true]);
  });

  it('waits for all in-sync replicas', async () => {
    const { bus: events, kafka } = await bus('a.v1');
    await events.publish([{ topic: 'a.v1', key: 'k', value: '{}' }]);
    expect(kafka.requests).toMatchObject([{ acks: -1 }]);
    expect(kafka.producerConfigs).toMatchObject([{ allowAutoTopicCreation: false, idempotent: false }]);
    expect(kafka.consumers).toEqual([]);
  });

  it('says which failures no later attempt can mend', async () => {
    const { bus: events, kafka } = await bus('a.v1');
    kafka.refuse.set('a.v1', protocolError('MESSAGE_TOO_LARGE', false));
    await expect(events.publish([{ topic: 'a.v1', key: 'k', value: '{}' }])).rejects.toThrow(UnsendableMessageError);
  });

  it.each([
    ['a broker that is away', new KafkaJSConnectionError('Connection error: connect ECONNREFUSED')],
    ['a topic without leader', protocolError('LEADER_NOT_AVAILABLE', true)],
  ])('reports %s as a dependency that is away', async (_what, cause) => {
    const { bus: events, kafka } = await bus('a.v1');
    kafka.refuse.set('a.v1', new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 5, retryTime: 1 }));
    const failure: unknown = await events
      .publish([{ topic: 'a.v1', key: 'k', value: '{}' }])
      .catch((error: unknown) => error);
    expect(isDependencyAway(failure)).toBe(true);
  });
});
