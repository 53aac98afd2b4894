import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { DeadLetters } from '../dead-letters.js';
import { EventBus, type OutgoingMessage } from '../event-bus.js';
import { PermanentError } from '../errors.js';
import { RETRY_DELAYS_MS } from '../consumer/retry.interceptor.js';
import { Outbox } from '../outbox.js';
import { ASSET, consumerOf, PriceChanged, priceChanged, type React } from '../../testing/consumer-fixtures.js';
import { startInProcess } from '../../testing/database-app.js';
import { eventually } from '../../testing/kafka-app.js';
import { testDatabase } from '../../../../test/support/test-database.js';

const TOPIC = PriceChanged.topic;
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

const message = (price: string): OutgoingMessage => ({ topic: TOPIC, ...priceChanged(price) });

async function start(...reactions: (React | undefined)[]) {
  const consumers = (reactions.length === 0 ? [undefined] : reactions).map(
    (react) => consumerOf(TOPIC, react).consumer,
  );
  app = await startInProcess(database.url, consumers as Type[], { providers: [outbox] });
  return { bus: app.get(EventBus), letters: app.get(DeadLetters), consumers };
}

const pricesOf = (consumer: { attempts: PriceChanged[] } | undefined) => consumer?.attempts.map(({ price }) => price);

describe('a consumer in-process', () => {
  it('has handled the event, as a checked instance, when publish() returns', async () => {
    const { bus, consumers } = await start();
    await bus.publish([message('1'), message('2')]);
    expect(pricesOf(consumers[0])).toEqual(['1', '2']);
    expect(consumers[0]?.attempts[0]).toBeInstanceOf(PriceChanged);
  });

  it('gets the same event twice when it comes twice', async () => {
    const { bus, consumers } = await start();
    const twice = message('1');
    await bus.publish([twice]);
    await bus.publish([twice]);
    expect(pricesOf(consumers[0])).toEqual(['1', '1']);
  });

  it('puts a poisoned message into the dead-letter table at once, with key, value and headers', async () => {
    const { bus, letters, consumers } = await start();
    await bus.publish([{ topic: TOPIC, key: 'k', value: '{"no', headers: { traceparent: '00-1' } }]);
    expect(pricesOf(consumers[0])).toEqual([]);
    expect(await letters.list({ limit: 10 })).toEqual([
      {
        id: expect.any(String),
        topic: TOPIC,
        code: 'invalid_message',
        reason: 'the message is not JSON in UTF-8',
        consumer: 'embedded',
        key: 'k',
        value: '{"no',
        failed_at: expect.stringMatching(/Z$/),
      },
    ]);
    const [row] = await app.get(DataSource).query<{ headers: object }[]>('SELECT headers FROM messaging.dead_letter');
    expect(row?.headers).toMatchObject({ traceparent: '00-1', 'x-origin-topic': TOPIC });
  });

  it('fails alone: other consumers of the topic are done, and only it has a dead letter', async () => {
    const fails = () => {
      throw new Error('broken');
    };
    const { bus, letters, consumers } = await start(undefined, fails, undefined);
    await bus.publish([message('1')]);
    expect(consumers.map((consumer) => consumer.attempts.length)).toEqual([1, ALL_ATTEMPTS, 1]);
    expect(await letters.list({ limit: 10 })).toMatchObject([{ code: 'handler_failed', reason: 'broken' }]);
  });

  it('makes publish() fail while a dependency is away, and puts nothing among the dead letters', async () => {
    const { bus, letters } = await start(() => {
      throw new DependencyAwayError('the store is away');
    });
    await expect(bus.publish([message('1')])).rejects.toThrow('held: the store is away');
    expect(await letters.list({ limit: 10 })).toEqual([]);
  });

  it('is refused before the consumers run and after they closed, for the outbox to try again', async () => {
    const consumer = consumerOf(TOPIC).consumer as Type;
    app = await startInProcess(database.url, [consumer], { connect: false });
    await expect(app.get(EventBus).publish([message('1')])).rejects.toThrow(DependencyAwayError);
  });

  it('is waited for at shutdown', async () => {
    let finish: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const { bus, consumers } = await start(() => slow);
    const published = bus.publish([message('1')]);
    await eventually(
      () => consumers[0]?.attempts.length,
      (count) => count === 1,
    );
    let closed = false;
    const closing = app.close().then(() => (closed = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(closed).toBe(false);
    finish();
    await Promise.all([published, closing]);
    app = await startInProcess(database.url, [], { connect: false });
  });
});

describe('dead letters in-process', () => {
  let working: boolean;
  beforeEach(() => {
    working = false;
  });

  async function withLetters(...prices: string[]) {
    const parts = await start(() => {
      if (!working) throw new PermanentError('not yet');
    });
    await parts.bus.publish(prices.map(message));
    working = true;
    parts.consumers[0]?.attempts.splice(0);
    return { ...parts, outbox: app.get(Outbox) };
  }

  /** As the running service does, but without the two seconds. */
  async function sweep(outbox: Outbox): Promise<void> {
    await app.get(DataSource).query(`UPDATE access.outbox SET created_at = created_at - interval '1 minute'`);
    await outbox.sweep();
  }

  it('are replayed once through the outbox, and then no longer listed', async () => {
    const { letters, outbox, consumers } = await withLetters('1', '2');
    expect(await letters.replay({})).toBe(2);
    expect(await letters.replay({})).toBe(0);
    await sweep(outbox);
    expect(pricesOf(consumers[0])?.sort()).toEqual(['1', '2']);
    expect(await letters.list({ limit: 10 })).toEqual([]);
  });

  it('can be chosen by id, and again', async () => {
    const { letters, outbox, consumers } = await withLetters('1', '2');
    const [newest] = await letters.list({ limit: 1 });
    const ids = [newest?.id ?? ''];
    expect(await letters.replay({ ids })).toBe(1);
    expect(await letters.replay({ ids })).toBe(1);
    await sweep(outbox);
    expect(consumers[0]?.attempts).toHaveLength(2);
    expect(await letters.list({ limit: 10 })).toHaveLength(1);
    await expect(letters.replay({ ids: [ASSET] })).rejects.toThrow(`No such dead letter: ${ASSET}.`);
    await expect(letters.replay({ ids: ['x'] })).rejects.toThrow('No such dead letter: x.');
  });

  it('keep a value that is no JSON as it is, and lose the headers of their death when replayed', async () => {
    const { bus, letters, outbox } = await withLetters();
    await bus.publish([{ topic: TOPIC, key: 'k', value: '{"no', headers: { traceparent: '00-1' } }]);
    expect(await letters.replay({ topic: TOPIC })).toBe(1);
    expect(await letters.replay({ topic: 'other' })).toBe(0);
    const [row] = await app.get(DataSource).query<{ headers: object }[]>('SELECT headers FROM access.outbox');
    expect(row?.headers).toEqual({ traceparent: '00-1' });
    await sweep(outbox);
    expect(await letters.list({ topic: TOPIC, limit: 10 })).toMatchObject([{ value: '{"no', key: 'k' }]);
  });
});
