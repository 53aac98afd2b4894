import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { ensureSigningKeyFile, SIGNING_KEY_FILE } from '#runtime/signing-key-file.js';
import { createDataSource } from '#database/data-source.js';
import { migrate } from '#database/migrate.js';
import { endLeases } from '#jobs/end-leases.js';
import { connectMessaging } from '#messaging/connect-messaging.js';
import { startPostgres, type RunningPostgres } from '#postgres-server/start-postgres.js';
import { createApp } from '#runtime/bootstrap.js';
import { ConfigError } from '#runtime/config.js';
import { ensureCredentials, type Credentials } from './credentials.js';
import { localUrl, probePort } from './listening-address.js';
import { StandaloneModule } from './standalone.module.js';

export interface Embedded {
  credentials: Credentials;
  postgres: RunningPostgres;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** All state: database, objects, spool, credentials. */
  home: string;
  /** 0 takes a free one. */
  port: number;
  host: string;
}

/**
 * Starts PostgreSQL and all services in this process: in-process bus, objects in a directory.
 *
 * @throws ConfigError with one sentence when the directory or the address can't be used
 */
export async function startEmbedded({ home, host, port: wanted }: EmbeddedOptions): Promise<Embedded> {
  const root = makeHome(home);
  const port = await probePort(host, wanted);
  const postgres = await startPostgres({ dataDir: join(root, 'postgres') }).catch((error: unknown) => {
    throw new ConfigError(`TALLYPORT_HOME=${home}: ${(error as Error).message}`);
  });
  try {
    await prepareDatabase(postgres.url);
    const baseUrl = localUrl(host, port);
    configure(root, postgres.url, baseUrl);
    const app = await createApp(StandaloneModule);
    try {
      await connectMessaging(app, { groupId: 'embedded', fromBeginning: true });
      const credentials = await ensureCredentials(app.get(DataSource), root, baseUrl, postgres.url);
      await app.listen(port, host);
      return { credentials, postgres, stop: () => stop(app, postgres) };
    } catch (error) {
      await app.close();
      throw error;
    }
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

function makeHome(home: string): string {
  const root = resolve(home);
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    accessSync(root, constants.W_OK | constants.X_OK);
    return root;
  } catch (error) {
    throw new ConfigError(
      `TALLYPORT_HOME=${home} is no directory that can be written to: ${(error as Error).message}.`,
    );
  }
}

async function prepareDatabase(url: string): Promise<void> {
  const dataSource = await createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 3 }).initialize();
  try {
    await migrate(dataSource);
    await endLeases(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** The services read their settings from the environment here too; what the embedded mode decides is not for the user to set. */
function configure(home: string, databaseUrl: string, baseUrl: string): void {
  process.env['DATABASE_URL'] = databaseUrl;
  process.env['KAFKA_BROKERS'] = '';
  process.env['S3_ENDPOINT'] = '';
  process.env['STORAGE_DIRECTORY'] = join(home, 'objects');
  process.env['SPOOL_DIRECTORY'] = join(home, 'spool');
  process.env['BASE_URL'] ||= baseUrl;
  giveSigningKey(home);
}

/** Without one of the user's, the first start makes a key, and later starts keep it. */
function giveSigningKey(home: string): void {
  if (process.env['INTEGRITY_SIGNING_KEY'] || process.env['INTEGRITY_SIGNING_KEY_FILE']) return;
  const path = join(home, SIGNING_KEY_FILE);
  ensureSigningKeyFile(path);
  process.env['INTEGRITY_SIGNING_KEY_FILE'] = path;
}

async function stop(app: NestFastifyApplication, postgres: RunningPostgres): Promise<void> {
  try {
    await app.close();
  } finally {
    await postgres.stop();
  }
}
