import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 2 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

it('a connection that is lost between two statements of a transaction is a dependency that is away', async () => {
  const transaction = dataSource.transaction(async ({ queryRunner }) => {
    if (queryRunner === undefined) throw new Error('The transaction has no query runner.');
    const [backend] = (await queryRunner.query('SELECT pg_backend_pid() AS pid')) as { pid: number }[];
    await dataSource.query('SELECT pg_terminate_backend($1)', [backend?.pid]);
    for (const end = Date.now() + 10_000; !queryRunner.isReleased && Date.now() < end;) await sleep(10);
    expect(queryRunner.isReleased).toBe(true);
    await queryRunner.query('SELECT 1');
  });
  const error: unknown = await transaction.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect(isDependencyAway(error)).toBe(true);
  expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});
