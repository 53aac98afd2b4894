import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { CostImportRequested } from '#contracts/events/cost-import-requested.js';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { withContext } from '#runtime/work-context.js';
import { EventBus, type OutgoingMessage } from './event-bus.js';
import { UnsendableMessageError } from './errors.js';
import { Outbox } from './outbox.js';
import { ASSET } from '../test/consumer-fixtures.js';
import { eventually } from '../test/in-memory-app.js';
import { testDatabase } from '../../../test/support/test-database.js';

const TOPIC = CostImportRequested.topic;
const IMPORT = '0190f3c2-0000-7000-8000-00000000000a';

/** A broker that notes what it takes, and can be away, slow or choosy. */
class RecordingBus extends EventBus {
  readonly sent: OutgoingMessage[] = [];
  readonly calls: number[] = [];
  /** Runs before a call is accepted; throws to refuse it. */
  gate: (messages: OutgoingMessage[]) => Promise<void> | void = () => undefined;

  async publish(messages: OutgoingMessage[]): Promise<void> {
    this.calls.push(messages.length);
    await this.gate(messages);
    this.sent.push(...messages);
  }

  deadLetter(): Promise<void> {
    return Promise.reject(new Error('not used'));
  }
}

interface Row {
  id: string;
  published: boolean;
  parked: boolean;
  claimed: boolean;
  attempts: number;
  last_error: string | null;
}

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

const rows = () =>
  dataSource.query<Row[]>(`SELECT id, published_at IS NOT NULL AS published, parked_at IS NOT NULL AS parked,
    coalesce(claimed_until > clock_timestamp(), false) AS claimed, attempts, last_error FROM imports.outbox ORDER BY id`);

const data = () => ({ import_id: IMPORT, asset_id: ASSET });

/** A committed row whose process died before it could publish. */
async function orphan(count = 1, age = '1 minute'): Promise<void> {
  const dead = new Outbox(dataSource, bus, 'imports');
  await dataSource.transaction(async (manager) => {
    for (let n = 0; n < count; n++) await dead.add(manager, TOPIC, ASSET, data());
  });
  await dataSource.query(`UPDATE imports.outbox SET created_at = clock_timestamp() - $1::interval`, [age]);
}

/** As if the wait after a failure were over. */
const waitIsOver = () =>
  dataSource.query(`UPDATE imports.outbox SET claimed_until = claimed_until - interval '1 hour'`);

describe('a transaction with events', () => {
  it('publishes them after the commit, as CloudEvents keyed by the asset, and marks the rows', async () => {
    let seenBefore: number | undefined;
    bus.gate = async () => {
      seenBefore = (await rows()).length;
    };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await withContext({ traceparent }, () =>
      outbox.transaction((tx) => {
        tx.emit(TOPIC, ASSET, data());
        expect(bus.calls).toEqual([]);
        return Promise.resolve('result');
      }),
    );
    expect(result).toBe('result');
    const [row] = await eventually(rows, ([first]) => first?.published === true);
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
      data: data(),
    });
  });

  it('leaves nothing behind when it rolls back', async () => {
    const failing = outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, data());
      return Promise.reject(new Error('rolled back'));
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await rows()).toEqual([]);
    expect(bus.calls).toEqual([]);
  });

  it('does not wait for the broker, but shutdown does', async () => {
    let finish: () => void = () => undefined;
    bus.gate = () => new Promise((resolve) => (finish = resolve));
    await outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, data());
      return Promise.resolve();
    });
    let stopped = false;
    const stopping = outbox.onApplicationShutdown().then(() => (stopped = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(await rows()).toMatchObject([{ published: true }]);
  });

  it('publishes all of its events with one call', async () => {
    await outbox.transaction((tx) => {
      for (let n = 0; n < 3; n++) tx.emit(TOPIC, ASSET, data());
      return Promise.resolve();
    });
    await eventually(rows, (all) => all.every(({ published }) => published));
    expect(bus.calls).toEqual([3]);
  });

  it('keeps the event when the broker is away, and the sweeper sends it later', async () => {
    bus.gate = () => {
      throw new DependencyAwayError('no broker');
    };
    await outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, data());
      return Promise.resolve();
    });
    await eventually(rows, ([row]) => row?.last_error === 'no broker');
    bus.gate = () => undefined;
    await dataSource.query(`UPDATE imports.outbox SET created_at = created_at - interval '1 minute'`);
    expect(await outbox.sweep()).toBe(0);
    await waitIsOver();
    expect(await outbox.sweep()).toBe(1);
    expect(await rows()).toMatchObject([{ published: true, last_error: null }]);
    expect(bus.sent).toHaveLength(1);
  });
});

describe('the sweeper', () => {
  it('publishes what a process left between commit and publishing, with the same envelope', async () => {
    await orphan();
    expect(await outbox.sweep()).toBe(1);
    const [row] = await rows();
    expect(row).toMatchObject({ published: true, attempts: 1 });
    expect(JSON.parse(bus.sent[0]?.value ?? '')).toMatchObject({ specversion: '1.0', id: row?.id, data: data() });
    expect(await outbox.sweep()).toBe(0);
  });

  it('runs by itself', async () => {
    await orphan();
    outbox.onApplicationBootstrap();
    await eventually(rows, ([row]) => row?.published === true);
  });

  it('leaves rows younger than two seconds to the process that wrote them', async () => {
    await orphan(1, '1 second');
    expect(await outbox.sweep()).toBe(0);
  });

  it('does not take a row that this process is sending, however long that takes', async () => {
    let finish: () => void = () => undefined;
    bus.gate = () => new Promise((resolve) => (finish = resolve));
    await outbox.transaction((tx) => {
      tx.emit(TOPIC, ASSET, data());
      return Promise.resolve();
    });
    await dataSource.query(`UPDATE imports.outbox SET created_at = created_at - interval '1 minute'`);
    expect(await outbox.sweep()).toBe(0);
    finish();
    await eventually(rows, ([row]) => row?.published === true);
    expect(bus.calls).toEqual([1]);
  });

  it('shares the work: two sweepers send each row once, and hold no transaction meanwhile', async () => {
    await orphan(150);
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
    await orphan();
    await dataSource.query(`UPDATE imports.outbox SET claimed_until = clock_timestamp() + interval '1 minute'`);
    expect(await outbox.sweep()).toBe(0);
    await dataSource.query(`UPDATE imports.outbox SET claimed_until = clock_timestamp() - interval '1 second'`);
    expect(await outbox.sweep()).toBe(1);
  });

  it('sees a row that was committed late, after rows with later ids', async () => {
    const late = dataSource.createQueryRunner();
    await late.startTransaction();
    await outbox.add(late.manager, TOPIC, ASSET, data());
    await orphan();
    expect(await outbox.sweep()).toBe(1);
    await late.commitTransaction();
    await late.release();
    await dataSource.query(`UPDATE imports.outbox SET created_at = clock_timestamp() - interval '1 minute'`);
    expect(await outbox.sweep()).toBe(1);
    expect((await rows()).every(({ published }) => published)).toBe(true);
  });

  it('waits longer after each failure', async () => {
    await orphan();
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
      await waitIsOver();
    }
    expect(waits).toEqual([2, 4, 8, 16, 30, 30, 30]);
  });
});

describe('a message that can never be sent', () => {
  it('is parked with its error and counted, and does not hold up its neighbours', async () => {
    await orphan(3);
    const bad = (await rows())[1]?.id ?? '';
    bus.gate = (messages) => {
      if (messages.some(({ value }) => value.includes(bad))) throw new UnsendableMessageError('too large');
    };
    await outbox.sweep();
    expect(await rows()).toMatchObject([
      { published: true },
      { published: false, parked: true, last_error: 'too large' },
      { published: true },
    ]);
    await waitIsOver();
    expect(await outbox.sweep()).toBe(0);
    expect(await metricsRegistry.metrics()).toMatch(/tallyport_outbox_parked_total{outbox="imports"} 1/);
  });
});

describe('looking after the outbox', () => {
  it('measures what waits and since when', async () => {
    await orphan(2, '90 seconds');
    outbox.onApplicationBootstrap();
    const metrics = await metricsRegistry.metrics();
    expect(metrics).toMatch(/tallyport_outbox_pending{outbox="imports"} 2/);
    expect(metrics).toMatch(/tallyport_outbox_oldest_seconds{outbox="imports"} 9\d\./);
  });

  it('deletes what was published long ago, and only that', async () => {
    await orphan(3);
    const [first, second] = await rows();
    const age = 'UPDATE imports.outbox SET published_at = clock_timestamp() - $2::interval WHERE id = $1';
    await dataSource.query(age, [first?.id, '8 days']);
    await dataSource.query(age, [second?.id, '6 days']);
    expect(await outbox.deletePublished(7)).toBe(1);
    expect(await rows()).toHaveLength(2);
  });
});
