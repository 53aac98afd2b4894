import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createDataSource } from '#database/data-source.js';
import { migrate } from '#database/migrate.js';
import { startPostgres, type RunningPostgres } from '#postgres-server/start-postgres.js';

declare global {
  var tallyportTestPostgres: { server: RunningPostgres; directory: string } | undefined;
}

/** One PostgreSQL for the whole run, with a migrated database that each test file clones. */
export default async function setUp(): Promise<void> {
  process.env['LOG_LEVEL'] ??= 'silent';
  const directory = mkdtempSync(join(tmpdir(), 'tallyport-test-'));
  const server = await startPostgres({
    dataDir: join(directory, 'postgres'),
    settings: { fsync: 'off', max_connections: '300', shared_buffers: '128MB' },
  });
  globalThis.tallyportTestPostgres = { server, directory };
  process.env['TEST_POSTGRES_URL'] = server.url;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query('CREATE DATABASE migrated');
  await admin.end();
  const url = new URL(server.url);
  url.pathname = '/migrated';
  const dataSource = await createDataSource({ DATABASE_URL: url.href, DATABASE_POOL_SIZE: 3 }).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
}
