import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '#contracts/permissions.js';
import { PUBLIC } from '#runtime/public.decorator.js';
import { queryClassOf } from '#runtime/query.js';
import { ACCESS, type AccessRule } from '#apps/gateway/src/access/access.decorators.js';
import { httpHandlers } from '../support/http-handlers.js';
import { RecordingModule, RouteRecord, type Route } from '../support/recorded-routes.js';
import { startService, type TestService } from '../support/service.js';

/** Every route without a guard. Whoever opens another one says so here. */
const WITHOUT_GUARD: Record<string, string> = {
  'DirectoryDownloadController.download': '/files/*',
  'HealthController.live': '/health/live',
  'HealthController.ready': '/health/ready',
  'MetricsController.metrics': '/metrics',
  'PublishedController.openApi': '/api/v1/openapi.json',
  'PublishedController.asyncApi': '/api/v1/asyncapi.json',
  'DocsController.page': '/docs',
  'DocsController.file': '/docs/*',
};

/** A signed link is checked as a whole: a parameter that was changed or is missing makes it 404. */
let service: TestService;
let routes: Route[];

beforeAll(async () => {
  service = await startService({}, RecordingModule);
  ({ routes } = service.app.get(RouteRecord));
});

afterAll(async () => {
  await service.stop();
});

it('has an access rule on every handler, or its name in the list of those without', () => {
  const handlers = httpHandlers();
  expect(handlers.length).toBe(routes.filter(({ method }) => method !== 'HEAD').length);
  for (const { handler, name } of handlers) {
    const reason = Reflect.getMetadata(PUBLIC, handler) as string | undefined;
    const rule = Reflect.getMetadata(ACCESS, handler) as AccessRule | undefined;
    expect({ name, open: reason !== undefined, guarded: rule !== undefined }).toEqual({
      name,
      open: name in WITHOUT_GUARD,
      guarded: !(name in WITHOUT_GUARD),
    });
    if (rule !== undefined) {
      expect(rule.permissions.length).toBeGreaterThan(0);
      expect(PERMISSIONS).toEqual(expect.arrayContaining([...rule.permissions]));
    } else expect(reason).toBeTruthy();
  }
  expect(Object.keys(WITHOUT_GUARD).filter((name) => !handlers.some((handler) => handler.name === name))).toEqual([]);
});

it('answers every guarded route without a token with 401 and a problem', async () => {
  const open = Object.values(WITHOUT_GUARD);
  const guarded = routes.filter(({ url }) => !open.includes(url));
  expect(guarded.length).toBeGreaterThan(0);
  for (const { method, url } of guarded) {
    const path = url.replace(/:\w+/g, '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10');
    for (const authorization of [undefined, 'Bearer nonsense', `Bearer tp_0123456789abcdef_${'x'.repeat(43)}`]) {
      const response = await fetch(`${service.baseUrl}${path}?unknown=1`, {
        method,
        headers: authorization === undefined ? {} : { Authorization: authorization },
      });
      expect({ method, path, status: response.status }).toEqual({ method, path, status: 401 });
      expect(response.headers.get('www-authenticate')).toBe(
        authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"',
      );
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      if (method !== 'HEAD')
        expect(await response.json()).toMatchObject({ code: 'unauthenticated', status: 401, instance: path });
    }
  }
});

it('takes no token from the URL', async () => {
  const { token } = await service.newAsset();
  for (const name of ['token', 'access_token', 'authorization', 'api_key']) {
    expect((await fetch(`${service.baseUrl}/api/v1/cost-import/jobs?${name}=${token}`)).status).toBe(401);
  }
});

it('declares the class of its query on every handler', () => {
  const declared = httpHandlers();
  for (const { controller, method, name } of declared) {
    const type = queryClassOf(controller, method);
    expect({ name, isClass: type !== undefined && type !== Object && /^class /.test(String(type)) }).toEqual({
      name,
      isClass: true,
    });
  }
  expect(declared.length).toBeGreaterThan(0);
});

it('refuses an unknown parameter on every route that is open and declares its query', async () => {
  for (const url of Object.values(WITHOUT_GUARD)) {
    const response = await fetch(`${service.baseUrl}${url.replace('*', 'start.js')}?unknown=1`);
    expect({ url, status: response.status, body: await response.json() }).toMatchObject({
      url,
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ name: 'unknown', reason: 'is not a parameter of this path' }] },
    });
  }
});
