import { DataSource } from 'typeorm';
import { loggerFor } from '#runtime/logger.js';
import type { DatabaseConfig } from './database.config.js';
import { ApiToken } from './entities/access/api-token.entity.js';
import { Asset } from './entities/access/asset.entity.js';
import { Membership } from './entities/access/membership.entity.js';
import { Principal } from './entities/access/principal.entity.js';
import { ChannelMapping } from './entities/imports/channel-mapping.entity.js';
import { ImportJob } from './entities/imports/import-job.entity.js';
import { CreateAccess1763000000000 } from './migrations/1763000000000-create-access.js';
import { CreateImports1763000000001 } from './migrations/1763000000001-create-imports.js';
import { CreateMessaging1763000000002 } from './migrations/1763000000002-create-messaging.js';
import { CreateExports1763000000003 } from './migrations/1763000000003-create-exports.js';
import { CreateReporting1763000000004 } from './migrations/1763000000004-create-reporting.js';
import { CreateIntegrity1763000000005 } from './migrations/1763000000005-create-integrity.js';
import { CreateLedger1763000000006 } from './migrations/1763000000006-create-ledger.js';
import { CreateModeling1763000000007 } from './migrations/1763000000007-create-modeling.js';
import { IndexUsers1763000000008 } from './migrations/1763000000008-index-users.js';

/** The connection pool of a process. Entities and migrations are classes, never file globs. */
export function createDataSource({
  DATABASE_URL,
  DATABASE_POOL_SIZE,
}: Pick<DatabaseConfig, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>): DataSource {
  const log = loggerFor('database');
  return new DataSource({
    type: 'postgres',
    url: DATABASE_URL,
    entities: [Asset, Principal, Membership, ApiToken, ImportJob, ChannelMapping],
    migrations: [
      CreateAccess1763000000000,
      CreateImports1763000000001,
      CreateMessaging1763000000002,
      CreateExports1763000000003,
      CreateReporting1763000000004,
      CreateIntegrity1763000000005,
      CreateLedger1763000000006,
      CreateModeling1763000000007,
      IndexUsers1763000000008,
    ],
    migrationsTransactionMode: 'each',
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    poolSize: DATABASE_POOL_SIZE,
    applicationName: 'tallyport',
    extra: { connectionTimeoutMillis: 5_000, keepAlive: true },
    poolErrorHandler: (error: Error) => {
      // The whole error would carry the connection with its keys.
      const { message, code } = error as NodeJS.ErrnoException;
      log.warn({ reason: message, code }, 'an idle database connection failed');
    },
  });
}

const DEFAULT_POOL_SIZE = 10;

/** The connections that the pool holds at most. */
export function poolSizeOf({ options }: DataSource): number {
  return ('poolSize' in options ? options.poolSize : undefined) ?? DEFAULT_POOL_SIZE;
}
