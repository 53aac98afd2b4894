import { expect, it } from '@jest/globals';
import { createDataSource } from '#database/data-source.js';
import { migrate } from '#database/migrate.js';
import { testDatabase } from '../support/test-database.js';

it('the migrations make exactly the tables that the entities describe', async () => {
  const database = await testDatabase();
  const dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 3 }).initialize();
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  } finally {
    await dataSource.destroy();
    await database.drop();
  }
});

it('two processes that migrate at once do it once', async () => {
  const database = await testDatabase();
  const connect = () => createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 3 }).initialize();
  const [one, other] = [await connect(), await connect()];
  try {
    for (let count = one.migrations.length; count > 0; count--) await one.undoLastMigration();
    const applied = await Promise.all([migrate(one), migrate(other)]);
    expect(applied.map(({ length }) => length).sort()).toEqual([0, one.migrations.length]);
  } finally {
    await Promise.all([one.destroy(), other.destroy()]);
    await database.drop();
  }
});
