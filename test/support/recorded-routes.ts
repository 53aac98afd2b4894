import { Inject, Injectable, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { StandaloneModule } from '#apps/standalone/src/standalone.module.js';

export interface Route {
  method: string;
  /** As Fastify has it: `/api/v1/cost-import/jobs/:id`. */
  url: string;
}

/** Notes every route that Fastify registers: it is made before the routes are. */
@Injectable()
export class RouteRecord {
  readonly routes: Route[] = [];

  constructor(@Inject(HttpAdapterHost) { httpAdapter }: HttpAdapterHost) {
    httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) this.routes.push({ method: name, url });
    });
  }
}

/** All services, and the record of their routes. */
@Module({ imports: [StandaloneModule], providers: [RouteRecord] })
export class RecordingModule {}
