import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { currentContext, withContext } from '#runtime/work-context.js';
import { DeadLetterRecords } from '../dead-letter-records.js';
import { DeadLetters } from '../dead-letters.js';
import { EventBus, type OutgoingMessage } from '../event-bus.js';
import { PermanentError } from '../errors.js';
import { RETRY_DELAYS_MS } from '../consumer/retry.interceptor.js';
import { Outbox } from '../outbox.js';
import {
  BatchRecorder,
  PricesCollected,
  pricesCollected,
  providerOf,
  recordsOf,
  type PricesMessage,
  type TakeBatch,
} from '../../testing/batch-fixtures.js';
import { consumerOf } from '../../testing/consumer-fixtures.js';
import { startInProcess } from '../../testing/database-app.js';
import { eventually } from '../../testing/kafka-app.js';
import { testDatabase } from '../../../../test/support/test-database.js';

const TOPIC = PricesCollected.topic;
const ALL_ATTEMPTS = 1 + RETRY_DELAYS_MS.length;

let database: Awaited<ReturnType<typeof testDatabase>>;
let app: INestApplication;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(async () => {
  await database.drop();
});

afterEach(async () => {
  await app.get(DataSource).query('TRUNCATE messaging.dead_letter, access.outbox');
  await app.close();
});

const outbox = {
  provide: Outbox,
  inject: [DataSource, EventBus],
  useFactory: (dataSource: DataSource, bus: EventBus) => new Outbox(dataSource, bus, 'access'),
};

async function start(
  react?: TakeBatch,
  { batchWriters = 1, others = [] as BatchRecorder[], controllers = [] as Type[] } = {},
) {
  const recorder = new BatchRecorder(TOPIC, react);
  const providers = [outbox, ...[recorder, ...others].map(providerOf)];
  app = await startInProcess(database.url, controllers, { providers, batchWriters });
  return { bus: app.get(EventBus), letters: app.get(DeadLetters), recorder };
}

const message = (...records: unknown[]): OutgoingMessage => ({ topic: TOPIC, ...pricesCollected(records) });
const some = (count: number, first = 1) => Array.from({ length: count }, (_, n) => message(n + first));
const prices = (count: number, first = 1) => Array.from({ length: count }, (_, n) => n + first);

/** Whose batches end when the test says so. */
function waiting() {
  const ends: (() => void)[] = [];
  return { ends, react: () => new Promise<void>((resolve) => ends.push(resolve)) };
}

describe('a batch consumer in-process', () => {
  it('has handled the messages when publish() returns, those of one call in pieces of 20', async () => {
    const { bus, recorder } = await start();
    await bus.publish(some(45));
    expect(recorder.calls).toEqual([prices(20), prices(20, 21), prices(5, 41)]);
  });

  it('gets at once what came while it was busy, and is called by one at a time', async () => {
    const { ends, react } = waiting();
    const { bus, recorder } = await start(react);
    const published = [bus.publish([message(1)])];
    await eventually(
      () => ends.length,
      (count) => count === 1,
    );
    published.push(bus.publish([message(2)]), bus.publish([message(3), message(4)]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(recorder.calls).toEqual([[1]]);
    ends[0]?.();
    await eventually(
      () => ends.length,
      (count) => count === 2,
    );
    ends[1]?.();
    await Promise.all(published);
    expect(recorder.calls).toEqual([[1], [2, 3, 4]]);
  });

  it('is called by as many at a time as batchWriters says', async () => {
    const { ends, react } = waiting();
    const { bus } = await start(react, { batchWriters: 2 });
    const published = bus.publish(some(60));
    await eventually(
      () => ends.length,
      (count) => count === 2,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ends).toHaveLength(2);
    for (const end of ends) end();
    await eventually(
      () => ends.length,
      (count) => count === 3,
    );
    ends[2]?.();
    await published;
  });

  it('has nothing of the context of those who published', async () => {
    const contexts: object[] = [];
    const { bus } = await start(() => contexts.push(currentContext()));
    await withContext({ request_id: 'first' }, () => bus.publish(some(2)));
    await withContext({ request_id: 'second' }, () => bus.publish([message(3)]));
    expect(contexts).toEqual([
      { topic: TOPIC, partition: 0, offset: '0', messages: 2, traceparent: undefined },
      expect.not.objectContaining({ request_id: expect.anything() }),
    ]);
  });

  it('stands beside the other consumers of its topic, each with ends of its own', async () => {
    const other = new BatchRecorder(TOPIC, () => {
      throw new PermanentError('no');
    });
    const elsewhere = new BatchRecorder('more.v1');
    const { bus, recorder, letters } = await start(undefined, {
      others: [other, elsewhere],
      controllers: [consumerOf('price.changed.v1').consumer as Type],
    });
    await bus.publish([message(1)]);
    expect([recorder.calls, other.calls, elsewhere.calls]).toEqual([[[1]], [[1]], []]);
    expect(await letters.list({ limit: 10 })).toMatchObject([{ code: 'permanent', reason: 'no' }]);
  });

  it('does not cost the neighbours of a poisoned message anything', async () => {
    const { bus, recorder, letters } = await start((messages) => {
      if (recordsOf(messages).includes(2)) throw new Error('broken');
    });
    await bus.publish([message(1), message(2), { topic: TOPIC, key: 'k', value: '{"no' }, message(3)]);
    const together = Array<unknown[]>(ALL_ATTEMPTS).fill([1, 2, 3]);
    expect(recorder.calls).toEqual([...together, [1], ...Array<unknown[]>(ALL_ATTEMPTS).fill([2]), [3]]);
    expect((await letters.list({ limit: 10 })).map(({ code }) => code)).toEqual(['handler_failed', 'invalid_message']);
    expect(recorder.givenUp.map(({ envelope }) => envelope?.data)).toEqual([
      undefined,
      expect.objectContaining({ records: [2] }),
    ]);
  });

  it('makes publish() fail while a dependency is away, and the outbox gives the message again', async () => {
    let away = true;
    const { bus, recorder, letters } = await start(() => {
      if (away) throw new DependencyAwayError('the store is away');
    });
    await expect(bus.publish([message(1)])).rejects.toThrow('held: the store is away');
    expect(await letters.list({ limit: 10 })).toEqual([]);
    away = false;
    await bus.publish([message(1)]);
    expect(recorder.calls.at(-1)).toEqual([1]);
  });

  it('finishes its batch at shutdown; what waits goes back', async () => {
    const { ends, react } = waiting();
    const { bus, recorder } = await start(react);
    const first = bus.publish([message(1)]);
    await eventually(
      () => ends.length,
      (count) => count === 1,
    );
    const second = bus.publish([message(2)]);
    const refused = expect(second).rejects.toThrow(DependencyAwayError);
    let closed = false;
    const closing = app.close().then(() => (closed = true));
    await refused;
    expect(closed).toBe(false);
    ends[0]?.();
    await Promise.all([first, closing]);
    expect(recorder.calls).toEqual([[1]]);
    app = await startInProcess(database.url, [], { connect: false });
  });
});

describe('bad records in-process', () => {
  it('are a dead letter of their own, whose replay brings them alone', async () => {
    const parts: { injected?: DeadLetterRecords } = {};
    let strict = true;
    const ids: string[] = [];
    const { bus, recorder, letters } = await start(async (messages: readonly PricesMessage[]) => {
      for (const one of messages) {
        ids.push(one.id);
        const bad = one.data.records.filter((record) => strict && record === 'bad');
        await parts.injected?.records(
          one,
          bad.map((record) => ({ record, code: 'invalid_value', field: 'price', message: 'no number' })),
        );
      }
    });
    parts.injected = app.get(DeadLetterRecords);
    await bus.publish([message('1', 'bad', '2')]);
    expect(await letters.list({ limit: 10 })).toMatchObject([
      { code: 'invalid_message', reason: '1 of 3 records: invalid_value price (1)', consumer: 'embedded' },
    ]);
    strict = false;
    expect(await letters.replay({})).toBe(1);
    const [row] = await app.get(DataSource).query<{ headers: object }[]>('SELECT headers FROM access.outbox');
    expect(row?.headers).toEqual({});
    await app.get(DataSource).query(`UPDATE access.outbox SET created_at = created_at - interval '1 minute'`);
    await app.get(Outbox).sweep();
    expect(recorder.calls).toEqual([['1', 'bad', '2'], ['bad']]);
    expect(new Set(ids).size).toBe(2);
    expect(await letters.list({ limit: 10 })).toEqual([]);
  });
});
