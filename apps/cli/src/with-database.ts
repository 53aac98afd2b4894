import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { DatabaseConfig } from '#database/database.config.js';
import { loadConfig } from '#runtime/config.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { CommandFailure } from './session.js';

/** PostgreSQL: undefined table, undefined column, unknown schema. */
const NOT_MIGRATED = new Set(['42P01', '42703', '3F000']);

/**
 * Opens the database for one piece of work and closes it again.
 *
 * @throws CommandFailure when no database is named, it can't be reached within 5 s, or it lacks our tables
 */
export async function withDatabase<T>(
  env: NodeJS.ProcessEnv,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const config = loadConfig(DatabaseConfig, { ...env, DATABASE_URL: databaseUrl(env) });
  const dataSource = createDataSource(config);
  try {
    await dataSource.initialize();
    return await work(dataSource);
  } catch (error) {
    throw explain(error, config.DATABASE_URL);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

function databaseUrl(env: NodeJS.ProcessEnv): string {
  const given = env['DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const file = resolve(join(env['TALLYPORT_HOME'] || '.tallyport', 'credentials.json'));
  try {
    const { database_url } = JSON.parse(readFileSync(file, 'utf8')) as { database_url?: unknown };
    if (typeof database_url === 'string') return database_url;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CommandFailure(`There is no database to work on: DATABASE_URL is not set and there is no ${file}.`);
    }
    throw new CommandFailure(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new CommandFailure(`There is no database to work on: DATABASE_URL is not set and ${file} has no database_url.`);
}

function explain(error: unknown, url: string): unknown {
  if (isDependencyAway(error)) {
    const { code, message } = error as { code?: unknown; message?: string };
    const reason = typeof code === 'string' ? code : message;
    return new CommandFailure(
      `The database at ${new URL(url).host} can't be reached (${reason ?? 'no reason given'}).`,
    );
  }
  if (NOT_MIGRATED.has(String((error as { code?: unknown }).code))) {
    return new CommandFailure('The database is not migrated: run `tallyport migrate` first.');
  }
  return error;
}
