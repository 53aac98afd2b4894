import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { testDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { DatabaseSnapshot, SpareConnections } from './export-snapshot.js';

const POOL = 2;
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = new DataSource({
    type: 'postgres',
    url: database.url,
    poolSize: POOL,
    extra: { connectionTimeoutMillis: 2_000 },
  });
  await dataSource.initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const open = (spare = 0, abort = new AbortController()): Promise<DatabaseSnapshot> =>
  DatabaseSnapshot.open(dataSource, new SpareConnections(spare), abort.signal);

async function read(chunks: AsyncIterable<unknown>): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Every connection of the pool works: as many statements at once as there are. */
async function expectPoolWhole(): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: POOL }, () => dataSource.query<{ one: number }[]>('SELECT 1 AS one, pg_sleep(0.02)')),
  );
  expect(answers.map(([row]) => row?.one)).toEqual([1, 1]);
}

describe('a snapshot', () => {
  it('copies rows of any length, with notices between them, and knows how many', async () => {
    await dataSource.query(`
      CREATE FUNCTION noisy(i int) RETURNS text LANGUAGE plpgsql AS $$
      BEGIN
        IF i % 50 = 0 THEN RAISE NOTICE 'row %', i; END IF;
        RETURN repeat(chr(97 + i % 26), i * 37 % 5000) || CASE WHEN i = 7 THEN repeat('é', 200000) ELSE '' END;
      END $$`);
    const snapshot = await open();
    const copy = snapshot.copyTo(`COPY (SELECT noisy(i) FROM generate_series(1, 2000) AS i) TO STDOUT`);
    const expected = createHash('sha256');
    for (let i = 1; i <= 2000; i++)
      expected.update(
        `${String.fromCharCode(97 + (i % 26)).repeat((i * 37) % 5000)}${i === 7 ? 'é'.repeat(200_000) : ''}\n`,
      );
    expect((await read(copy)).sha256).toBe(expected.digest('hex'));
    expect(await snapshot.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect([copy.rowCount, copy.isOver]).toEqual([2000, true]);
    expect((await read(snapshot.copyTo('COPY (SELECT 1 WHERE false) TO STDOUT'))).bytes).toBe(0);
    await snapshot.close();
    await expectPoolWhole();
  });

  it('can copy again and again, one after the other', async () => {
    const snapshot = await open();
    for (let count = 1; count <= 20; count++) {
      const copy = snapshot.copyTo(`COPY (SELECT * FROM generate_series(1, ${count * 1000})) TO STDOUT`);
      await read(copy);
      await snapshot.query('SELECT');
      expect(copy.rowCount).toBe(count * 1000);
    }
    await snapshot.close();
    await expectPoolWhole();
  });

  it('copies one after the other on one connection, whoever reads first', async () => {
    const snapshot = await open();
    const copies = [200_000, 3, 200_000].map((rows) =>
      snapshot.copyTo(`COPY (SELECT repeat('x', 60) FROM generate_series(1, ${rows})) TO STDOUT`),
    );
    const [large, small, last] = await Promise.all(copies.map((copy) => read(copy)));
    expect([large?.bytes, small?.bytes]).toEqual([61 * 200_000, 61 * 3]);
    expect(last).toEqual(large);
    expect(copies.map(({ rowCount }) => rowCount)).toEqual([200_000, 3, 200_000]);
    const failing = snapshot.copyTo('COPY nothing TO STDOUT');
    const behind = read(snapshot.copyTo('COPY (SELECT 1) TO STDOUT'));
    await expect(read(failing)).rejects.toThrow('nothing');
    await expect(behind).rejects.toThrow('aborted');
    await snapshot.close();
    await expectPoolWhole();
  });

  it.each([
    ['at once', 'COPY (SELECT * FROM nothing) TO STDOUT', 'nothing'],
    ['in the middle', 'COPY (SELECT 1 / (90000 - i) FROM generate_series(1, 100000) AS i) TO STDOUT', 'division'],
  ])('keeps its connection when a COPY fails %s', async (_when, sql, reason) => {
    const [row] = await dataSource.query<{ before: number }[]>('SELECT pg_backend_pid() AS before');
    const snapshot = await open();
    await expect(read(snapshot.copyTo(sql))).rejects.toThrow(reason);
    await expect(snapshot.query('SELECT 1')).rejects.toThrow('aborted');
    await snapshot.close();
    await expectPoolWhole();
    expect(row?.before).toBeGreaterThan(0);
  });

  it('gives up the connection of a COPY that was not read to its end', async () => {
    for (let count = 0; count < 2 * POOL; count++) {
      const snapshot = await open();
      for await (const chunk of snapshot.copyTo('COPY (SELECT * FROM generate_series(1, 10000000)) TO STDOUT'))
        if (chunk.length > 0) break;
      await snapshot.close();
      const unread = await open();
      unread.copyTo('COPY (SELECT * FROM generate_series(1, 10000000)) TO STDOUT');
      unread.copyTo('COPY (SELECT 1) TO STDOUT');
      await unread.close();
    }
    await expectPoolWhole();
  });

  it('fails at once when it is aborted, in a query, in a COPY and before', async () => {
    const reason = new Error('stopped');
    for (const work of [
      (snapshot: DatabaseSnapshot) => snapshot.query('SELECT pg_sleep(60)'),
      (snapshot: DatabaseSnapshot) => read(snapshot.copyTo('COPY (SELECT pg_sleep(60)) TO STDOUT')),
      (snapshot: DatabaseSnapshot) =>
        read(snapshot.copyTo('COPY (SELECT repeat(i::text, 1000) FROM generate_series(1, 10000000) AS i) TO STDOUT')),
    ]) {
      const abort = new AbortController();
      const snapshot = await open(0, abort);
      const started = Date.now();
      const working = work(snapshot);
      setTimeout(() => {
        abort.abort(reason);
      }, 50);
      await expect(working).rejects.toThrow(/stopped|Connection terminated/);
      await snapshot.close();
      expect(Date.now() - started).toBeLessThan(2_000);
      await expect(DatabaseSnapshot.open(dataSource, new SpareConnections(0), abort.signal)).rejects.toBe(reason);
    }
    await expectPoolWhole();
  });

  it('survives the death of its connection', async () => {
    const snapshot = await open();
    const copy = snapshot.copyTo(
      `COPY (SELECT i, repeat('x', 1000), pg_sleep(CASE WHEN i = 5000 THEN 30 ELSE 0 END) FROM generate_series(1, 10000) AS i) TO STDOUT`,
    );
    const reading = read(copy);
    for (let ended = 0; ended === 0;) {
      const rows = await dataSource.query<unknown[]>(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE query LIKE '%repeat(''x'', 1000)%' AND state = 'active' AND pid <> pg_backend_pid()`,
      );
      ended = rows.length;
    }
    await expect(reading).rejects.toThrow(/terminat/);
    await snapshot.close();
    await expectPoolWhole();
  });

  it('does without a second connection when none is free', async () => {
    const [snapshot, other] = [await open(5), await open(5)];
    expect(await snapshot.second()).toBeUndefined();
    await other.close();
    const second = await snapshot.second();
    expect(await second?.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await snapshot.close();
    await snapshot.close();
    await expectPoolWhole();
  });
});
