import { Module, type INestApplication, type Provider, type Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { DatabaseConfig } from '#database/database.config.js';
import { DatabaseModule } from '#database/database.module.js';
import { NestLogger } from '#runtime/logger.js';
import { RuntimeModule } from '#runtime/runtime.module.js';
import { connectMessaging } from '../src/connect-messaging.js';
import { MessagingConfig } from '../src/messaging.config.js';
import { MessagingModule } from '../src/messaging.module.js';

/** An application on the in-process bus and a real database; `connect: false` leaves the consumers off. */
export async function startInProcess(
  url: string,
  controllers: Type[],
  { connect = true, providers = [] as Provider[], batchWriters = 1 } = {},
): Promise<INestApplication> {
  @Module({ controllers, providers })
  class Feature {}
  const module = await Test.createTestingModule({ imports: [RuntimeModule, DatabaseModule, MessagingModule, Feature] })
    .overrideProvider(DatabaseConfig)
    .useValue(Object.assign(new DatabaseConfig(), { DATABASE_URL: url }))
    .overrideProvider(MessagingConfig)
    .useValue(new MessagingConfig())
    .setLogger(new NestLogger())
    .compile();
  const app = module.createNestApplication(new FastifyAdapter());
  if (connect) await connectMessaging(app, { groupId: 'embedded', fromBeginning: true, batchWriters });
  return app;
}
