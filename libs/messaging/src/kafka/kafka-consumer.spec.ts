import { afterEach, describe, expect, it } from '@jest/globals';
import { KafkaJSProtocolError, type IHeaders } from 'kafkajs';
import { EMPTY } from 'rxjs';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { currentContext } from '#runtime/work-context.js';
import { PermanentError } from '../errors.js';
import { RETRY_DELAYS_MS } from '../consumer/retry.interceptor.js';
import { ASSET, PriceChanged, priceChanged } from '../../testing/consumer-fixtures.js';
import { exitCodes, startService, stopServices } from '../../testing/in-memory-service.js';
import { eventually, GROUP } from '../../testing/kafka-app.js';

const TOPIC = PriceChanged.topic;
const ALL_ATTEMPTS = 1 + RETRY_DELAYS_MS.length;

afterEach(stopServices);

const headersOf = (headers: IHeaders | undefined) =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));

describe('a consumer on Kafka', () => {
  it('gets a valid event as a checked instance, with its envelope and its place in every log line', async () => {
    const contexts: object[] = [];
    const envelopes: string[] = [];
    const { kafka, consumer, read } = await startService((_event, envelope) => {
      contexts.push(currentContext());
      envelopes.push(envelope.id);
    });
    const event = priceChanged('9.90');
    kafka.append(TOPIC, event);
    await read(1);
    expect(consumer.attempts).toEqual([{ asset_id: ASSET, price: '9.90' }]);
    expect(consumer.attempts[0]).toBeInstanceOf(PriceChanged);
    expect(envelopes).toEqual([event.id]);
    expect(contexts).toEqual([
      expect.objectContaining({
        topic: TOPIC,
        partition: 0,
        offset: '0',
        event_id: event.id,
        traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-/),
      }),
    ]);
  });

  it('gets the same event twice when it comes twice, and drops members it does not know', async () => {
    const { kafka, consumer, read } = await startService();
    const { key, value } = priceChanged('1');
    const newer = value.replace('"price"', '"later":true,"price"');
    kafka.append(TOPIC, { key, value: newer });
    kafka.append(TOPIC, { key, value: newer });
    await read(2);
    expect(consumer.attempts).toEqual([
      { asset_id: ASSET, price: '1' },
      { asset_id: ASSET, price: '1' },
    ]);
  });

  const poisoned: [string, string | Buffer | null, string][] = [
    ['no JSON', '{"specversion":', 'the message is not JSON in UTF-8'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'the message is not JSON in UTF-8'],
    ['a leading NUL', Buffer.from([0, 1, 2]), 'the message is not JSON in UTF-8'],
    ['a tombstone', null, 'the message has no value'],
    ['an array', '[1]', 'the message is no JSON object'],
    ['another type', priceChanged('1', 'other.v1').value, `type is not ${TOPIC}`],
    ['data that breaks a rule', priceChanged('').value, 'price must be longer than or equal to 1'],
  ];
  it.each(poisoned)('puts a message with %s among the dead letters at once', async (_what, value, reason) => {
    const { kafka, consumer, read } = await startService();
    kafka.append(TOPIC, { key: '{"k":1}', value, headers: { trace: '[x' } });
    kafka.append(TOPIC, priceChanged('next'));
    await read(2);
    expect(consumer.attempts.map(({ price }) => price)).toEqual(['next']);
    const [letter, ...more] = kafka.log(`${TOPIC}.dlq`);
    expect(more).toEqual([]);
    expect(letter?.value).toEqual(value === null ? null : Buffer.from(value as string));
    expect(letter?.key).toEqual(Buffer.from('{"k":1}'));
    expect(headersOf(letter?.headers)).toEqual({
      trace: '[x',
      'x-error-code': 'invalid_message',
      'x-error-class': 'InvalidMessageError',
      'x-error-message': expect.stringContaining(reason),
      'x-origin-topic': TOPIC,
      'x-origin-partition': '0',
      'x-origin-offset': '0',
      'x-consumer': GROUP,
      'x-failed-at': expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('does not try again after a PermanentError, whatever caused it', async () => {
    const { kafka, consumer, read } = await startService(() => {
      throw new PermanentError('no such asset', { cause: new DependencyAwayError('gone') });
    });
    kafka.append(TOPIC, priceChanged('1'));
    await read(1);
    expect(consumer.attempts).toHaveLength(1);
    expect(headersOf(kafka.log(`${TOPIC}.dlq`)[0]?.headers)).toMatchObject({ 'x-error-code': 'permanent' });
  });

  it('tries any other failure some times, a TypeError too, and then dead-letters it without holding up the next', async () => {
    const { kafka, consumer, read } = await startService(({ price }) => {
      if (price === 'bad') throw new TypeError('undefined is not a function');
    });
    kafka.append(TOPIC, priceChanged('bad'));
    kafka.append(TOPIC, priceChanged('good'));
    await read(2);
    expect(consumer.attempts.map(({ price }) => price)).toEqual([...Array<string>(ALL_ATTEMPTS).fill('bad'), 'good']);
    expect(kafka.log(`${TOPIC}.dlq`).map(({ headers }) => headersOf(headers))).toMatchObject([
      {
        'x-error-code': 'handler_failed',
        'x-error-class': 'TypeError',
        'x-error-message': 'undefined is not a function',
      },
    ]);
    const metrics = await metricsRegistry.metrics();
    expect(metrics).toMatch(new RegExp(`tallyport_dead_letters_total{topic="${TOPIC}",code="handler_failed"} 1`));
  });

  it('is content when a failure passes by itself', async () => {
    let failures = 2;
    const { kafka, consumer, read } = await startService(() => {
      if (failures-- > 0) throw new Error('deadlock detected');
    });
    kafka.append(TOPIC, priceChanged('1'));
    await read(1);
    expect(consumer.attempts).toHaveLength(3);
    expect(kafka.log(`${TOPIC}.dlq`)).toEqual([]);
  });

  it('takes an observable without values for done', async () => {
    const { kafka, consumer, read } = await startService(() => EMPTY);
    kafka.append(TOPIC, priceChanged('1'));
    await read(1);
    expect(consumer.attempts).toHaveLength(1);
  });

  it('holds the partition while a dependency is away, over crashes and restarts, and loses nothing', async () => {
    const codes = exitCodes();
    let away = true;
    const { kafka, reader, consumer, read, health } = await startService(
      () => {
        if (away) throw new DependencyAwayError('the database is away');
      },
      (broker) => (broker.retriesBeforeCrash = 0),
    );
    const crashes: Record<string, unknown>[] = [];
    reader.on(reader.events.CRASH, ({ payload }) => crashes.push(payload));
    kafka.append(TOPIC, priceChanged('1'));
    await eventually(
      () => crashes.length,
      (count) => count > 0,
    );
    // An outage of hours, quickly: the same crash again and again.
    const outage = { ...crashes[0] };
    for (let count = 0; count < 20; count++) reader.emit(reader.events.CRASH, outage);
    expect(outage).toMatchObject({ restart: true, error: { message: 'held: the database is away' } });
    expect((await health.live()).status).toBe('ok');
    expect((await health.ready()).status).toBe('error');
    expect(kafka.heartbeats).toBeGreaterThanOrEqual(RETRY_DELAYS_MS.length);
    away = false;
    await read(1);
    expect(codes).toEqual([]);
    expect(kafka.log(`${TOPIC}.dlq`)).toEqual([]);
    expect(consumer.attempts.length).toBeGreaterThan(ALL_ATTEMPTS);
  });

  it('holds the partition when the dead letter can not be written', async () => {
    const { kafka, reader, consumer, read } = await startService(
      () => {
        throw new PermanentError('no');
      },
      (broker) => broker.refuse.set(`${TOPIC}.dlq`, new DependencyAwayError('no leader')),
    );
    kafka.append(TOPIC, priceChanged('1'));
    await eventually(
      () => consumer.attempts.length,
      (count) => count >= 3,
    );
    expect(reader.position(TOPIC)).toBe(0);
    kafka.refuse.clear();
    await read(1);
    expect(kafka.log(`${TOPIC}.dlq`)).toHaveLength(1);
  });

  it('shows kafkajs its own error when the group rebalances while a message waits', async () => {
    const rebalance = new KafkaJSProtocolError(
      Object.assign(new Error('rebalance'), { type: 'REBALANCE_IN_PROGRESS' }),
    );
    let away = true;
    const { kafka, reader, read } = await startService(
      () => {
        if (away) throw new DependencyAwayError('away');
      },
      (broker) => {
        broker.retriesBeforeCrash = 0;
        broker.heartbeatError = rebalance;
      },
    );
    const causes: unknown[] = [];
    reader.on(reader.events.CRASH, ({ payload }) => causes.push((payload['error'] as Error).cause));
    kafka.append(TOPIC, priceChanged('1'));
    await eventually(
      () => causes.length,
      (count) => count > 0,
    );
    expect(causes[0]).toBe(rebalance);
    away = false;
    await read(1);
  });
});
