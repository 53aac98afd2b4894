import { expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { EventTable } from '#apps/reporting/src/ingest/event-table.js';
import { monthOf, Partitions } from '#apps/reporting/src/ingest/partitions.js';
import { copyLines } from '#ingest/sql.js';
import { readEvent } from '#contracts/collect/event-record.js';
import { createDataSource } from '#database/data-source.js';
import { startService } from '../support/service.js';
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

it('events that are there already are found again after a transaction that was rolled back', async () => {
  const service = await startService();
  const { assetId } = await service.newAsset();
  const runner = service.dataSource.createQueryRunner();
  try {
    const checked = readEvent(
      { event_id: 'e-1', event_time: '2026-03-01T12:00:00Z', event_type: 'click', distinct_id: 'v' },
      new Date(),
    );
    if ('issue' in checked) throw new Error(checked.issue.message);
    await new Partitions(service.dataSource).ensure([monthOf(checked.record.time_us)]);
    const client = (await runner.connect()) as PoolClient;
    const table = new EventTable();
    const known: number[] = [];
    for (const end of ['COMMIT', 'ROLLBACK', 'COMMIT']) {
      await client.query('BEGIN');
      known.push((await table.insert(client, assetId, [checked.record])).size);
      await client.query(end);
    }
    expect(known).toEqual([0, 1, 1]);
  } finally {
    await runner.release();
    await service.stop();
  }
});
