import { afterEach, describe, expect, it } from '@jest/globals';
import { KafkaJSProtocolError, type IHeaders } from 'kafkajs';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { currentContext } from '#runtime/work-context.js';
import { PermanentError } from '../errors.js';
import { RETRY_DELAYS_MS } from '../consumer/retry.interceptor.js';
import { PricesCollected, pricesCollected, recordsOf, type PricesMessage } from '../../testing/batch-fixtures.js';
import { exitCodes, stopServices } from '../../testing/in-memory-service.js';
import { startBatchService, stopBatchServices } from '../../testing/in-memory-batches.js';
import { eventually, GROUP } from '../../testing/kafka-app.js';

const TOPIC = PricesCollected.topic;
const ALL_ATTEMPTS = 1 + RETRY_DELAYS_MS.length;

afterEach(async () => {
  await stopServices();
  await stopBatchServices();
});

const headersOf = (headers: IHeaders | undefined) =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
const some = (count: number, first = 1) =>
  Array.from({ length: count }, (_, n) => pricesCollected([String(n + first)]));
const prices = (count: number, first = 1) => Array.from({ length: count }, (_, n) => String(n + first));

/** Fails for batches with one of these records. */
function failingFor(error: () => Error, ...bad: string[]) {
  return (messages: readonly PricesMessage[]) => {
    if (recordsOf(messages).some((record) => bad.includes(record as string))) throw error();
  };
}

describe('a batch consumer on Kafka', () => {
  it('gets what waits in pieces of 20, and commits after each', async () => {
    const { recorder, reader, read } = await startBatchService(undefined, { waiting: some(45) });
    await read(45);
    expect(recorder.calls).toEqual([prices(20), prices(20, 21), prices(5, 41)]);
    expect(reader.commits).toEqual([`${TOPIC}@20`, `${TOPIC}@40`, `${TOPIC}@45`]);
  });

  it('knows in its log lines where a batch begins, and of a single message the trace', async () => {
    const contexts: object[] = [];
    const { kafka, read } = await startBatchService(() => contexts.push(currentContext()), { waiting: some(3) });
    await read(3);
    const single = pricesCollected(['4']);
    kafka.append(TOPIC, single);
    await read(4);
    expect(contexts).toEqual([
      { topic: TOPIC, partition: 0, offset: '0', messages: 3, traceparent: undefined },
      {
        topic: TOPIC,
        partition: 0,
        offset: '3',
        event_id: single.id,
        traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-/),
      },
    ]);
  });

  it('never sees an invalid message: it is a dead letter, and the others of its batch are handled together', async () => {
    const broken = { key: '{"k":1}', value: '{"no' };
    const waiting = [...some(2), broken, { key: null, value: null }, ...some(1, 3)];
    const { recorder, letters, read } = await startBatchService(undefined, { waiting });
    await read(5);
    expect(recorder.calls).toEqual([['1', '2', '3']]);
    expect(letters().map(({ value }) => value?.toString())).toEqual(['{"no', undefined]);
    expect(letters()[0]?.key).toEqual(Buffer.from('{"k":1}'));
    expect(headersOf(letters()[0]?.headers)).toEqual({
      'x-error-code': 'invalid_message',
      'x-error-class': 'InvalidMessageError',
      'x-error-message': 'the message is not JSON in UTF-8',
      'x-origin-topic': TOPIC,
      'x-origin-partition': '0',
      'x-origin-offset': '2',
      'x-consumer': GROUP,
      'x-failed-at': expect.stringMatching(/Z$/),
    });
    expect(recorder.givenUp).toMatchObject([
      { received: { offset: '2' }, envelope: undefined },
      { received: { offset: '3' }, envelope: undefined },
    ]);
  });

  it('tries a batch again, and then each message alone: only the one that fails alone is a dead letter', async () => {
    const waiting = some(4);
    const react = failingFor(() => new TypeError('undefined is not a function'), '3');
    const { recorder, letters, read } = await startBatchService(react, { waiting });
    await read(4);
    const together = Array<string[]>(ALL_ATTEMPTS).fill(prices(4));
    const alone = Array<string[]>(ALL_ATTEMPTS).fill(['3']);
    expect(recorder.calls).toEqual([...together, ['1'], ['2'], ...alone, ['4']]);
    expect(letters().map(({ value }) => value?.toString())).toEqual([waiting[2]?.value]);
    expect(headersOf(letters()[0]?.headers)).toMatchObject({
      'x-error-code': 'handler_failed',
      'x-error-class': 'TypeError',
      'x-origin-offset': '2',
    });
    expect(recorder.givenUp).toMatchObject([{ received: { offset: '2' }, envelope: { id: waiting[2]?.id } }]);
  });

  it('is not tried again after a PermanentError, neither together nor alone', async () => {
    const react = failingFor(() => new PermanentError('no such asset', { cause: new DependencyAwayError('x') }), '2');
    const { recorder, letters, read } = await startBatchService(react, { waiting: some(3) });
    await read(3);
    expect(recorder.calls).toEqual([prices(3), ['1'], ['2'], ['3']]);
    expect(letters().map(({ headers }) => headersOf(headers)['x-error-code'])).toEqual(['permanent']);
    const single = await startBatchService(react, { waiting: some(1, 2) });
    await single.read(1);
    expect(single.recorder.calls).toEqual([['2']]);
  });

  it('waits through an outage with all its messages, live but not ready, and goes on by itself', async () => {
    const codes = exitCodes();
    let away = true;
    const { recorder, kafka, reader, letters, read, health } = await startBatchService(
      () => {
        if (away) throw new DependencyAwayError('the database is away');
      },
      { waiting: some(3), prepare: (broker) => (broker.retriesBeforeCrash = 0) },
    );
    const crashes: Record<string, unknown>[] = [];
    reader.on(reader.events.CRASH, ({ payload }) => crashes.push(payload));
    await eventually(
      () => crashes.length,
      (count) => count > 0,
    );
    const outage = { ...crashes[0] };
    for (let count = 0; count < 20; count++) reader.emit(reader.events.CRASH, outage);
    expect(outage).toMatchObject({ restart: true, error: { message: 'held: the database is away' } });
    expect((await health.live()).status).toBe('ok');
    expect((await health.ready()).checks['kafka-batches']).toEqual({
      status: 'down',
      reason: 'not in the consumer group',
    });
    expect(reader.position(TOPIC)).toBe(0);
    expect(kafka.heartbeats).toBeGreaterThanOrEqual(RETRY_DELAYS_MS.length);
    away = false;
    await read(3);
    expect(codes).toEqual([]);
    expect(letters()).toEqual([]);
    expect(recorder.calls.at(-1)).toEqual(prices(3));
    expect(await metricsRegistry.metrics()).toMatch(
      new RegExp(`tallyport_messages_held_total\\{topic="${TOPIC}"\\} ([3-9]|\\d\\d)`),
    );
  });

  it('writes one dead letter for a message that comes again because a neighbour was held', async () => {
    let away = true;
    const waiting = [...some(1), { key: null, value: '{"no' }, ...some(2, 2)];
    const { recorder, letters, read } = await startBatchService(
      (messages) => {
        const records = recordsOf(messages);
        if (records.includes('1')) throw new PermanentError('poison');
        if (records.includes('3') && away) throw new DependencyAwayError('a lock');
      },
      { waiting, prepare: (broker) => (broker.retriesBeforeCrash = 0) },
    );
    const twice = ({ length }: unknown[]) => length >= 2;
    await eventually(() => recorder.calls.filter((call) => call.length === 2 && call[0] === '2'), twice);
    away = false;
    await read(4);
    expect(letters().map(({ headers }) => headersOf(headers)['x-origin-offset'])).toEqual(['1', '0']);
    expect(recorder.givenUp).toHaveLength(2);
  });

  it('holds its partition when the dead letter can not be written', async () => {
    const { kafka, reader, recorder, letters, read } = await startBatchService(undefined, {
      waiting: [{ key: null, value: '{"no' }, ...some(1)],
      prepare: (broker) => broker.refuse.set(`${TOPIC}.dlq`, new DependencyAwayError('no leader')),
    });
    const asked = () => kafka.requests.length;
    await eventually(asked, (count) => count >= 2);
    expect(reader.position(TOPIC)).toBe(0);
    expect(recorder.calls).toEqual([]);
    kafka.refuse.clear();
    await read(2);
    expect(letters()).toHaveLength(1);
    expect(recorder.calls).toEqual([['1']]);
  });

  it('is told of a letter again until it could note it, and any other failure of that is passed over', async () => {
    const { kafka, recorder, letters, read } = await startBatchService();
    let failures = ALL_ATTEMPTS + 1;
    recorder.onGaveUp = () => {
      if (failures-- > 0) throw new DependencyAwayError('the database is away');
    };
    kafka.append(TOPIC, { key: null, value: '{"no' });
    await read(1);
    expect(letters()).toHaveLength(1);
    expect(recorder.givenUp).toHaveLength(ALL_ATTEMPTS + 2);
    recorder.onGaveUp = () => {
      throw new Error('a bug');
    };
    kafka.append(TOPIC, { key: null, value: '{"no' });
    kafka.append(TOPIC, pricesCollected(['next']));
    await read(3);
    expect(letters()).toHaveLength(2);
    expect(recorder.calls).toEqual([['next']]);
  });

  it('shows kafkajs its own error when the group rebalances while a batch waits', async () => {
    const rebalance = new KafkaJSProtocolError(
      Object.assign(new Error('rebalance'), { type: 'REBALANCE_IN_PROGRESS' }),
    );
    const { kafka, reader, recorder, read } = await startBatchService(
      () => {
        if (kafka.heartbeatError === undefined) kafka.heartbeatError = rebalance;
        throw new DependencyAwayError('away');
      },
      { prepare: (broker) => (broker.retriesBeforeCrash = 0) },
    );
    const causes: unknown[] = [];
    reader.on(reader.events.CRASH, ({ payload }) => {
      causes.push((payload['error'] as Error).cause);
      kafka.heartbeatError = undefined;
      Object.assign(recorder, { react: () => undefined });
    });
    kafka.append(TOPIC, pricesCollected(['1']));
    await read(1);
    expect(causes).toEqual([rebalance]);
    expect(recorder.calls).toHaveLength(2);
  });

  it('beats while a piece is handled, and does not acknowledge what it was sought away from', async () => {
    let finish: () => void = () => undefined;
    const { kafka, reader, recorder, read } = await startBatchService(
      () => new Promise<void>((resolve) => (finish = resolve)),
      { waiting: some(1) },
    );
    await eventually(
      () => recorder.calls.length,
      (count) => count === 1,
    );
    const before = kafka.heartbeats;
    await eventually(
      () => kafka.heartbeats,
      (count) => count > before,
    );
    reader.stale.add(TOPIC);
    finish();
    await eventually(
      () => recorder.calls.length,
      (count) => count === 2,
    );
    expect(reader.commits).toEqual([]);
    finish();
    await read(1);
  });
});
