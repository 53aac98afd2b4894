import { Global, Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { configProvider } from '#runtime/config.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { HealthRegistry } from '#runtime/health.registry.js';
import { loggerFor } from '#runtime/logger.js';
import { DirectoryStore } from './directory.store.js';
import { ObjectStore } from './object-store.js';
import { S3Store } from './s3.store.js';
import { StorageConfig } from './storage.config.js';

/** The object store of the process: S3 when `S3_ENDPOINT` is set, else a directory. */
@Global()
@Module({
  providers: [
    configProvider(StorageConfig),
    {
      provide: ObjectStore,
      inject: [StorageConfig],
      useFactory: (config: StorageConfig) =>
        config.S3_ENDPOINT === '' ? new DirectoryStore(config) : new S3Store(config),
    },
  ],
  exports: [StorageConfig, ObjectStore],
})
export class StorageModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(ObjectStore) private readonly store: ObjectStore,
    @Inject(HealthRegistry) private readonly health: HealthRegistry,
  ) {}

  /** A store that is away does not keep the process from starting: it is not ready until the store is. */
  async onModuleInit(): Promise<void> {
    let prepared = false;
    const prepare = async (): Promise<void> => {
      if (!prepared) await this.store.prepare();
      prepared = true;
    };
    this.health.register('object-store', async () => {
      await prepare();
      await this.store.check();
    });
    await prepare().catch((error: unknown) => {
      if (!isDependencyAway(error)) throw error;
      loggerFor('storage').warn({ err: error }, 'the object store is away at the start');
    });
  }

  /** After the jobs that read and write have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
