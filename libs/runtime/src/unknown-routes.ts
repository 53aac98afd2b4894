import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppError } from '#contracts/errors.js';

/**
 * A path that exists, asked with a method it does not have, is 405 with `Allow`. Fastify itself answers 404 to both, so
 * the routes are noted as they are registered and asked before a request is given up.
 */
export function answerUnknownRoutes(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const methodsOf = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    methodsOf.set(url, methods);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = [...methodsOf].filter(([url]) => matches(url, path)).flatMap(([, methods]) => [...methods]);
    if (allowed.length === 0) done(new AppError('not_found', `There is nothing at ${path}.`));
    else
      done(
        new AppError('method_not_allowed', `${request.method} is not possible here.`, {
          headers: { Allow: [...new Set(allowed)].sort().join(', ') },
        }),
      );
  });
}

function matches(route: string, path: string): boolean {
  const pattern = route
    .split('/')
    .map((part) => (part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')))
    .join('/');
  return new RegExp(`^${pattern}$`).test(path);
}
