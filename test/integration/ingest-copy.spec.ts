import { expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { copyLines } from '#apps/reporting/src/ingest/sql.js';
import { createDataSource } from '#database/data-source.js';
import { testDatabase } from '../support/test-database.js';

it('a COPY whose lines fail, or that the server refuses, leaves a connection that can be used', async () => {
  const database = await testDatabase();
  const dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 2 }).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as PoolClient;
    await client.query('CREATE TEMP TABLE numbers (number integer PRIMARY KEY)');
    const broken = function* (): Generator<string> {
      for (let number = 0; number < 2_000; number++) yield `${number}\n`;
      throw new Error('no more lines');
    };
    await expect(copyLines(client, 'COPY numbers FROM STDIN', broken())).rejects.toThrow('no more lines');
    const doubled = Array.from({ length: 200_000 }, (_, number) => `${number % 100_000}\n`);
    await expect(copyLines(client, 'COPY numbers FROM STDIN', doubled)).rejects.toMatchObject({ code: '23505' });
    await copyLines(client, 'COPY numbers FROM STDIN', ['1\n', '2\n']);
    const { rows } = await client.query<{ number: number }>('SELECT number FROM numbers');
    expect(rows).toEqual([{ number: 1 }, { number: 2 }]);
  } finally {
    await runner.release();
    await dataSource.destroy();
    await database.drop();
  }
});
