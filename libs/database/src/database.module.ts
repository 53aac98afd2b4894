import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { configProvider } from '#runtime/config.js';
import { HealthRegistry } from '#runtime/health.registry.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { createDataSource } from './data-source.js';
import { DatabaseConfig } from './database.config.js';

/** One connection pool per process, closed last. */
@Global()
@Module({
  imports: [RuntimeModule],
  providers: [
    configProvider(DatabaseConfig),
    {
      provide: DataSource,
      inject: [DatabaseConfig, HealthRegistry],
      useFactory: async (config: DatabaseConfig, health: HealthRegistry) => {
        const dataSource = await createDataSource(config).initialize();
        health.register('postgres', async () => {
          await dataSource.query('SELECT 1');
        });
        return dataSource;
      },
    },
  ],
  exports: [DataSource],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
