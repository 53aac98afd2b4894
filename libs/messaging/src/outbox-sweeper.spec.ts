import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { UnsendableMessageError } from './errors.js';
import { Outbox } from './outbox.js';
import { ASSET } from '../testing/consumer-fixtures.js';
import { eventually } from '../testing/kafka-app.js';
import {
  ageRows,
  endClaims,
  eventData,
  orphanRows,
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

describe('the sweeper', () => {
  it('publishes what a process left between commit and publishing, with the same envelope', async () => {
    await orphanRows(dataSource);
    expect(await outbox.sweep()).toBe(1);
    const [row] = await outboxRows(dataSource);
    expect(row).toMatchObject({ published: true, attempts: 1 });
    expect(JSON.parse(bus.sent[0]?.value ?? '')).toMatchObject({ specversion: '1.0', id: row?.id, data: eventData() });
    expect(await outbox.sweep()).toBe(0);
  });

  it('runs by itself', async () => {
    await orphanRows(dataSource);
    outbox.onApplicationBootstrap();
    await eventually(
      () => outboxRows(dataSource),
      ([row]) => row?.published === true,
    );
  });

  it('leaves rows younger than two seconds to the process that wrote them', async () => {
    await orphanRows(dataSource, 1, '1 second');
    expect(await outbox.sweep()).toBe(0);
  });

  it('does not take a row that this process is sending, however long that takes', async () => {
    let finish: () => void = () => undefined;
    bus.gate = () => new Promise((resolve) => (finish = resolve));
    await outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, eventData());
      return Promise.resolve();
    });
    await ageRows(dataSource);
    expect(await outbox.sweep()).toBe(0);
    finish();
    await eventually(
      () => outboxRows(dataSource),
      ([row]) => row?.published === true,
    );
    expect(bus.calls).toEqual([1]);
  });

  it('shares the work: two sweepers send each row once, and hold no transaction meanwhile', async () => {
    await orphanRows(dataSource, 150);
    let transactions = -1;
    bus.gate = async () => {
      const [{ count }] = await dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      transactions = Math.max(transactions, count);
    };
    const other = new Outbox(dataSource, bus, 'imports');
    const taken = await Promise.all([outbox.sweep(), other.sweep()]);
    expect(taken[0] + taken[1]).toBe(150);
    expect(new Set(bus.sent.map(({ value }) => value)).size).toBe(150);
    expect(bus.sent).toHaveLength(150);
    expect(transactions).toBe(0);
  });

  it('takes over the claim of a process that died while sending', async () => {
    await orphanRows(dataSource);
    await dataSource.query(`UPDATE imports.outbox SET claimed_until = clock_timestamp() + interval '1 minute'`);
    expect(await outbox.sweep()).toBe(0);
    await dataSource.query(`UPDATE imports.outbox SET claimed_until = clock_timestamp() - interval '1 second'`);
    expect(await outbox.sweep()).toBe(1);
  });

  it('sees a row that was committed late, after rows with later ids', async () => {
    const late = dataSource.createQueryRunner();
    await late.startTransaction();
    await outbox.add(late.manager, TOPIC, ASSET, eventData());
    await orphanRows(dataSource);
    expect(await outbox.sweep()).toBe(1);
    await late.commitTransaction();
    await late.release();
    await ageRows(dataSource);
    expect(await outbox.sweep()).toBe(1);
    expect((await outboxRows(dataSource)).every(({ published }) => published)).toBe(true);
  });

  it('waits longer after each failure', async () => {
    await orphanRows(dataSource);
    bus.gate = () => {
      throw new Error('no');
    };
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt++) {
      await outbox.sweep();
      const [{ wait }] = await dataSource.query<[{ wait: number }]>(
        `SELECT round(extract(epoch FROM claimed_until - clock_timestamp()))::int AS wait FROM imports.outbox`,
      );
      waits.push(wait);
      await endClaims(dataSource);
    }
    expect(waits).toEqual([2, 4, 8, 10, 10, 10, 10]);
  });
});

describe('a message that can never be sent', () => {
  it('is parked with its error and counted, and does not hold up its neighbours', async () => {
    await orphanRows(dataSource, 3);
    const bad = (await outboxRows(dataSource))[1]?.id ?? '';
    bus.gate = (messages) => {
      if (messages.some(({ value }) => value.includes(bad))) throw new UnsendableMessageError('too large');
    };
    await outbox.sweep();
    expect(await outboxRows(dataSource)).toMatchObject([
      { published: true },
      { published: false, parked: true, last_error: 'too large' },
      { published: true },
    ]);
    await endClaims(dataSource);
    expect(await outbox.sweep()).toBe(0);
    expect(await metricsRegistry.metrics()).toMatch(/tallyport_outbox_parked_total{outbox="imports"} 1/);
  });
});

describe('looking after the outbox', () => {
  it('measures what waits and since when', async () => {
    await orphanRows(dataSource, 2, '90 seconds');
    outbox.onApplicationBootstrap();
    const metrics = await metricsRegistry.metrics();
    expect(metrics).toMatch(/tallyport_outbox_pending{outbox="imports"} 2/);
    expect(metrics).toMatch(/tallyport_outbox_oldest_seconds{outbox="imports"} 9\d\./);
  });

  it('deletes what was published long ago, and only that', async () => {
    await orphanRows(dataSource, 3);
    const [first, second] = await outboxRows(dataSource);
    const age = 'UPDATE imports.outbox SET published_at = clock_timestamp() - $2::interval WHERE id = $1';
    await dataSource.query(age, [first?.id, '8 days']);
    await dataSource.query(age, [second?.id, '6 days']);
    expect(await outbox.deletePublished(7)).toBe(1);
    expect(await outboxRows(dataSource)).toHaveLength(2);
  });
});
