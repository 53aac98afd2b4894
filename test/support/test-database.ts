import pg from 'pg';
import { v4 as uuidv4 } from 'uuid';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A fresh, migrated database of its own on the server of the test run. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined)
    throw new Error('TEST_POSTGRES_URL is not set: run the tests with the configuration of the project');
  const name = `test_${uuidv4().replaceAll('-', '')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE migrated`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
