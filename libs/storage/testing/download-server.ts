import { Catch, Global, Module, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyReply } from 'fastify';
import { AppError } from '#contracts/errors.js';
import { HealthRegistry } from '#runtime/health.registry.js';
import { DirectoryDownloadController } from '#storage/directory-download.controller.js';
import { ObjectStore } from '#storage/object-store.js';
import { StorageConfig } from '#storage/storage.config.js';
import { StorageModule } from '#storage/storage.module.js';

@Catch(AppError)
class CodeFilter implements ExceptionFilter<AppError> {
  catch(error: AppError, host: ArgumentsHost): void {
    void host
      .switchToHttp()
      .getResponse<FastifyReply>()
      .status(error.status)
      .headers(error.headers)
      .send({ code: error.code });
  }
}

@Global()
@Module({ providers: [HealthRegistry], exports: [HealthRegistry] })
class HealthModule {}

/** StorageModule and its downloads in a bare Nest application, listening on a free port; links are followed there whatever their host. */
export async function downloadServer(config: StorageConfig) {
  const parts = { imports: [HealthModule, StorageModule], controllers: [DirectoryDownloadController] };
  const compiled = await Test.createTestingModule(parts).overrideProvider(StorageConfig).useValue(config).compile();
  const app = compiled.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  app.useGlobalFilters(new CodeFilter());
  await app.listen(0, '127.0.0.1');
  const origin = await app.getUrl();
  return {
    store: app.get(ObjectStore),
    health: app.get(HealthRegistry),
    origin,
    download: async (url: string, headers: Record<string, string> = {}) => {
      const { pathname, search } = new URL(url);
      const response = await fetch(`${origin}${pathname}${search}`, { headers });
      return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
    },
    end: () => app.close(),
  };
}
