import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { UsersIdentified } from '#contracts/events/users-identified.js';
import { createDataSource } from '#database/data-source.js';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { withContext } from '#runtime/work-context.js';
import { Outbox } from './outbox.js';
import { ASSET } from '../testing/consumer-fixtures.js';
import { eventually } from '../testing/kafka-app.js';
import {
  ageRows,
  endClaims,
  eventData,
  OUTBOX_TOPIC as TOPIC,
  outboxRows,
  RecordingBus,
} from '../testing/outbox-fixtures.js';
import { testDatabase } from '../../../test/support/test-database.js';

let database: Awaited<ReturnType<typeof testDatabase>>;
let dataSource: DataSource;
let bus: RecordingBus;
let outbox: Outbox;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 10 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

beforeEach(async () => {
  await dataSource.query('TRUNCATE imports.outbox');
  bus = new RecordingBus();
  outbox = new Outbox(dataSource, bus, 'imports');
});

afterEach(async () => {
  await outbox.onApplicationShutdown();
});

describe('a transaction with events', () => {
  it('publishes them after the commit, as CloudEvents keyed by the asset, and marks the rows', async () => {
    let seenBefore: number | undefined;
    bus.gate = async () => {
      seenBefore = (await outboxRows(dataSource)).length;
    };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await withContext({ traceparent }, () =>
      outbox.transaction((tx) => {
        tx.emit(TOPIC, ASSET, eventData());
        expect(bus.calls).toEqual([]);
        return Promise.resolve('result');
      }),
    );
    expect(result).toBe('result');
    const [row] = await eventually(
      () => outboxRows(dataSource),
      ([first]) => first?.published === true,
    );
    expect(seenBefore).toBe(1);
    const [message] = bus.sent;
    expect(message).toMatchObject({
      topic: TOPIC,
      key: ASSET,
      headers: { 'content-type': 'application/cloudevents+json' },
    });
    expect(JSON.parse(message?.value ?? '')).toEqual({
      specversion: '1.0',
      id: row?.id,
      source: '/tallyport/import-worker',
      type: TOPIC,
      time: expect.stringMatching(/Z$/),
      subject: ASSET,
      datacontenttype: 'application/json',
      traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/),
      data: eventData(),
    });
  });

  it('leaves nothing behind when it rolls back', async () => {
    const failing = outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, eventData());
      return Promise.reject(new Error('rolled back'));
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await outboxRows(dataSource)).toEqual([]);
    expect(bus.calls).toEqual([]);
  });

  it('does not wait for the broker, but shutdown does', async () => {
    let finish: () => void = () => undefined;
    bus.gate = () => new Promise((resolve) => (finish = resolve));
    await outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, eventData());
      return Promise.resolve();
    });
    let stopped = false;
    const stopping = outbox.onApplicationShutdown().then(() => (stopped = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(await outboxRows(dataSource)).toMatchObject([{ published: true }]);
  });

  it('publishes all of its events with one call', async () => {
    await outbox.transaction((tx) => {
      for (let n = 0; n < 3; n++) tx.emit(TOPIC, ASSET, eventData());
      return Promise.resolve();
    });
    await eventually(
      () => outboxRows(dataSource),
      (all) => all.every(({ published }) => published),
    );
    expect(bus.calls).toEqual([3]);
  });

  it('keys an event as it is told, and deletes it when it was published and must not stay', async () => {
    const { topic } = UsersIdentified;
    await outbox.transaction((tx) => {
      tx.emit(topic, ASSET, { asset_id: ASSET, records: [] }, `${ASSET}:7`);
      tx.emit(TOPIC, ASSET, eventData());
      return Promise.resolve();
    });
    await eventually(
      () => outboxRows(dataSource),
      (all) => all.every(({ published }) => published),
    );
    expect(bus.sent.map(({ topic: sent, key }) => [sent, key])).toEqual([
      [topic, `${ASSET}:7`],
      [TOPIC, ASSET],
    ]);
    const kept = await dataSource.query<{ topic: string }[]>('SELECT topic FROM imports.outbox');
    expect(kept).toEqual([{ topic: TOPIC }]);
    expect(JSON.parse(bus.sent[0]?.value ?? '')).toMatchObject({ type: topic, subject: ASSET });
  });

  it('keeps such an event until it is published', async () => {
    bus.gate = () => {
      throw new DependencyAwayError('no broker');
    };
    await outbox.transaction((tx) => {
      tx.emit(UsersIdentified.topic, ASSET, { asset_id: ASSET, records: [] });
      return Promise.resolve();
    });
    await eventually(
      () => outboxRows(dataSource),
      ([row]) => row?.last_error === 'no broker',
    );
    bus.gate = () => undefined;
    await ageRows(dataSource);
    await endClaims(dataSource);
    expect(await outbox.sweep()).toBe(1);
    expect(await outboxRows(dataSource)).toEqual([]);
  });

  it('leaves events to the sweeper while very many are on their way', async () => {
    let open: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (open = resolve));
    bus.gate = () => slow;
    const emit = (count: number) =>
      outbox.transaction((tx) => {
        for (let n = 0; n < count; n++) tx.emit(TOPIC, ASSET, eventData());
        return Promise.resolve();
      });
    await emit(200);
    await emit(5);
    expect(bus.calls).toEqual([200]);
    open();
    const published = (all: { published: boolean }[]) => all.filter((row) => row.published).length;
    await eventually(
      () => outboxRows(dataSource),
      (all) => published(all) === 200,
    );
    await ageRows(dataSource);
    expect(await outbox.sweep()).toBe(5);
  });

  it('keeps the event when the broker is away, and the sweeper sends it later', async () => {
    bus.gate = () => {
      throw new DependencyAwayError('no broker');
    };
    await outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, eventData());
      return Promise.resolve();
    });
    await eventually(
      () => outboxRows(dataSource),
      ([row]) => row?.last_error === 'no broker',
    );
    bus.gate = () => undefined;
    await ageRows(dataSource);
    expect(await outbox.sweep()).toBe(0);
    await endClaims(dataSource);
    expect(await outbox.sweep()).toBe(1);
    expect(await outboxRows(dataSource)).toMatchObject([{ published: true, last_error: null }]);
    expect(bus.sent).toHaveLength(1);
  });
});
