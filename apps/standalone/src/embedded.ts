import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { migrate } from '#database/migrate.js';
import { connectMessaging } from '#messaging/connect-messaging.js';
import { startPostgres, type RunningPostgres } from '#postgres-server/start-postgres.js';
import { createApp } from '#runtime/bootstrap.js';
import { ensureCredentials, type Credentials } from './credentials.js';
import { StandaloneModule } from './standalone.module.js';

export interface Embedded {
  app: NestFastifyApplication;
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

/** Starts PostgreSQL and all services in this process: in-process bus, objects in a directory. */
export async function startEmbedded({ home, port, host }: EmbeddedOptions): Promise<Embedded> {
  const root = resolve(home);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const postgres = await startPostgres({ dataDir: join(root, 'postgres') });
  try {
    await migrateDatabase(postgres.url);
    configure(root, postgres.url);
    const app = await createApp(StandaloneModule);
    await connectMessaging(app, { groupId: 'embedded', fromBeginning: true });
    await app.listen(port, host);
    const baseUrl = `http://${host}:${(app.getHttpServer().address() as AddressInfo).port}`;
    process.env['BASE_URL'] ??= baseUrl;
    const credentials = await ensureCredentials(app.get(DataSource), root, baseUrl, postgres.url);
    return { app, credentials, postgres, stop: () => stop(app, postgres) };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function migrateDatabase(url: string): Promise<void> {
  const dataSource = await createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 3 }).initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** The services read their settings from the environment here too; what the embedded mode decides is not for the user to set. */
function configure(home: string, databaseUrl: string): void {
  process.env['DATABASE_URL'] = databaseUrl;
  process.env['KAFKA_BROKERS'] = '';
  process.env['S3_ENDPOINT'] = '';
  process.env['STORAGE_DIRECTORY'] = join(home, 'objects');
  process.env['SPOOL_DIRECTORY'] = join(home, 'spool');
}

async function stop(app: NestFastifyApplication, postgres: RunningPostgres): Promise<void> {
  try {
    await app.close();
  } finally {
    await postgres.stop();
  }
}
