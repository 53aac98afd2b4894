import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { StandaloneModule } from '#apps/standalone/src/standalone.module.js';
import { PERMISSIONS, type Permission } from '#contracts/permissions.js';
import { connectMessaging } from '#messaging/connect-messaging.js';
import { createApp } from '#runtime/bootstrap.js';
import { testDatabase } from './test-database.js';

export interface TestAsset {
  assetId: string;
  /** Of a member with all permissions. */
  token: string;
}

export interface TestService {
  baseUrl: string;
  databaseUrl: string;
  dataSource: DataSource;
  admin: AccessAdmin;
  app: NestFastifyApplication;
  /** A tenant of its own. */
  newAsset(options?: { timezone?: string; permissions?: readonly Permission[] }): Promise<TestAsset>;
  /** A token of another member of the asset. */
  newToken(assetId: string, permissions: readonly Permission[]): Promise<string>;
  stop(): Promise<void>;
}

let principals = 0;

/** All services in this process, as in the embedded mode, on a database of their own; `settings` are environment variables. */
export async function startService(
  settings: Record<string, string> = {},
  module: Type<unknown> = StandaloneModule,
): Promise<TestService> {
  const database = await testDatabase();
  const home = mkdtempSync(join(tmpdir(), 'tallyport-service-'));
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: '',
    S3_ENDPOINT: '',
    STORAGE_DIRECTORY: join(home, 'objects'),
    SPOOL_DIRECTORY: join(home, 'spool'),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_IMPORTS_PER_MINUTE: '100000',
    RATE_LIMIT_EXPORTS_PER_MINUTE: '100000',
    JOB_POLL_MS: '50',
    JOB_SHUTDOWN_GRACE_MS: '200',
    ...settings,
  });
  const app = await createApp(module);
  await connectMessaging(app, { groupId: 'test', fromBeginning: true });
  await app.listen(0, '127.0.0.1');
  const dataSource = app.get(DataSource);
  const admin = new AccessAdmin(dataSource);
  const newToken = async (assetId: string, permissions: readonly Permission[]): Promise<string> => {
    const principal = `principal ${++principals}`;
    await admin.addMember(assetId, principal, permissions);
    return (await admin.createToken(principal)).token;
  };
  return {
    baseUrl: `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`,
    databaseUrl: database.url,
    dataSource,
    admin,
    app,
    async newAsset({ timezone = 'UTC', permissions = PERMISSIONS } = {}) {
      const { asset_id: assetId } = await admin.createAsset('Test Shop', timezone, 'USD');
      return { assetId, token: await newToken(assetId, permissions) };
    },
    newToken,
    async stop() {
      await app.close();
      await database.drop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
