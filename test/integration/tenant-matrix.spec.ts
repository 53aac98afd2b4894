import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS, type Permission, type Restriction } from '#contracts/permissions.js';
import { MARKET_TEST, storeRun, storeTest } from '../fixtures/modeling-client.js';
import { RecordingModule, RouteRecord } from '../support/recorded-routes.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

type Objects = Record<'import' | 'ended' | 'raw' | 'channels' | 'rule' | 'run' | 'test', string>;

interface Endpoint {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** As Fastify has it; its parameters are filled in. */
  route: string;
  /** Any of these is enough. */
  needs: readonly Permission[];
  path?: (objects: Objects) => string;
  /** Made anew for each request when it can be sent once only. */
  body?: string | (() => string);
  type?: string;
  /** Of a member who may. */
  ok: number;
  /** Of a member who may, with this restriction. */
  restricted?: Partial<Record<Restriction, number>>;
}

const CSV = 'date,channel,cost\n2026-01-04,Google Ads,10\n';
const RANGE = 'from=2026-01-01&to=2026-01-31';
const EXPORTS: readonly Permission[] = [
  'reports:read',
  'users:read',
  'events:read',
  'consent:read',
  'integrity:read',
  'models:read',
];
const RUNS = '/api/v1/mmm/runs';
const TESTS = '/api/v1/lift/tests';
const SETTINGS = '/api/v1/modeling/settings';
const MAPPING = '/api/v1/channel-mapping';
const INTEGRITY = '/api/v1/integrity';
/** Of no session: who may ask is told that it is not found. */
const ENTITY = 'asn-64496';
const estimate = (path: string) => JSON.stringify({ path, from: '2026-01-01', to: '2026-01-31' });

const REPORT = '/api/v1/export/:report.csv';
const report = (name: string, needs: Permission): Endpoint[] =>
  (['GET', 'HEAD'] as const).map((method) => ({
    method,
    route: REPORT,
    needs: [needs],
    path: () => `/api/v1/export/${name}.csv?${RANGE}`,
    ok: 200,
  }));
const read = (route: string, needs: readonly Permission[], more: Partial<Endpoint> = {}): Endpoint[] =>
  (['GET', 'HEAD'] as const).map((method) => ({ method, route, needs, ok: 200, ...more }));

const json = (method: 'POST' | 'PUT', route: string, needs: Permission, body: object, ok = 200): Endpoint => ({
  method,
  route,
  needs: [needs],
  body: JSON.stringify(body),
  type: 'application/json',
  ok,
});

const ENDPOINTS: Endpoint[] = [
  { method: 'POST', route: '/api/v1/cost-import', needs: ['cost:write'], body: CSV, type: 'text/csv', ok: 200 },
  { method: 'POST', route: '/api/v1/cost-import/async', needs: ['cost:write'], body: CSV, type: 'text/csv', ok: 202 },
  ...read('/api/v1/cost-import/jobs', ['cost:read', 'cost:write']),
  ...read('/api/v1/cost-import/jobs/:id', ['cost:read', 'cost:write'], {
    path: ({ import: id }) => `/api/v1/cost-import/jobs/${id}`,
  }),
  {
    method: 'POST',
    route: '/api/v1/cost-import/jobs/:id/cancel',
    needs: ['cost:write'],
    path: ({ ended }) => `/api/v1/cost-import/jobs/${ended}/cancel`,
    ok: 409,
  },
  ...read('/api/v1/cost-import/template', ['cost:write', 'cost:read']),
  ...(['events', 'consent', 'identities'] as const).map((kind): Endpoint => ({
    method: 'POST',
    route: `/api/v1/collect/${kind}`,
    needs: ['events:write'],
    body: '{}\n',
    type: 'application/x-ndjson',
    ok: 202,
  })),
  ...read('/api/v1/collect/status', ['events:write', 'events:read']),
  ...['channels', 'sources', 'geo', 'tech', 'overview'].flatMap((name) => report(name, 'reports:read')),
  ...report('users', 'users:read'),
  ...read('/api/v1/export/channels', ['reports:read'], { path: () => `/api/v1/export/channels?${RANGE}` }),
  ...read('/api/v1/events/raw', ['events:read'], {
    path: () => `/api/v1/events/raw?format=csv&${RANGE}`,
    restricted: { raw_data: 403 },
  }),
  ...read('/api/v1/consent/export', ['consent:read'], { path: () => `/api/v1/consent/export?${RANGE}` }),
  ...[
    'evidence/refund.csv',
    'evidence/bundle.json',
    'blocklist/google.csv',
    'blocklist.csv',
    'blocklist/meta.csv',
  ].flatMap((file) =>
    read(`${INTEGRITY}/${file}`, ['integrity:read'], {
      path: () => `${INTEGRITY}/${file}?${RANGE}`,
      restricted: { cost_data: 200 },
    }),
  ),
  ...['', '/export.csv'].flatMap((end) =>
    read(`${INTEGRITY}/entities/:entity_id${end}`, ['integrity:read'], {
      path: () => `${INTEGRITY}/entities/${ENTITY}${end}?${RANGE}`,
      ok: 404,
    }),
  ),
  ...read(`${INTEGRITY}/status`, ['integrity:read']),
  ...read(`${INTEGRITY}/entities`, ['integrity:read']),
  ...read(`${INTEGRITY}/allowlist`, ['integrity:read']),
  {
    method: 'POST',
    route: `${INTEGRITY}/allowlist`,
    needs: ['integrity:write'],
    body: JSON.stringify({ asn: 64_496, reason: 'Monitor' }),
    type: 'application/json',
    ok: 201,
  },
  {
    method: 'DELETE',
    route: `${INTEGRITY}/allowlist/:rule_id`,
    needs: ['integrity:write'],
    path: ({ rule }) => `${INTEGRITY}/allowlist/${rule}`,
    ok: 404,
  },
  json('POST', RUNS, 'models:write', { target: 'conversions' }, 202),
  {
    ...json('POST', TESTS, 'models:write', {}, 202),
    body: () => JSON.stringify({ ...MARKET_TEST, channels: [`channel ${Math.random()}`] }),
  },
  ...(
    [
      [RUNS, 'run'],
      [TESTS, 'test'],
    ] as const
  ).flatMap(([path, object]) => [
    ...read(path, ['models:read']),
    ...['', '/export.csv'].flatMap((end) =>
      read(`${path}/:id${end}`, ['models:read'], {
        path: (objects) => `${path}/${objects[object]}${end}`,
        restricted: { cost_data: 200 },
      }),
    ),
  ]),
  ...read(SETTINGS, ['models:read']),
  json('PUT', SETTINGS, 'models:write', { targets: ['conversions'] }),
  ...read(MAPPING, ['cost:write']),
  json('PUT', MAPPING, 'cost:write', { mapping: [] }),
  ...read('/api/v1/exports', EXPORTS),
  ...read('/api/v1/exports/:id', ['events:read'], {
    path: ({ raw }) => `/api/v1/exports/${raw}`,
    restricted: { raw_data: 403 },
  }),
  ...read('/api/v1/exports/:id/file', ['events:read'], {
    path: ({ raw }) => `/api/v1/exports/${raw}/file`,
    ok: 302,
    restricted: { raw_data: 403 },
  }),
  ...read('/api/v1/exports/:id/file', ['reports:read'], {
    path: ({ channels }) => `/api/v1/exports/${channels}/file`,
    ok: 302,
    restricted: { cost_data: 403 },
  }),
  {
    method: 'POST',
    route: '/api/v1/exports/estimate',
    needs: ['reports:read'],
    body: estimate('/api/v1/export/geo.csv'),
    type: 'application/json',
    ok: 200,
  },
  {
    method: 'POST',
    route: '/api/v1/exports/estimate',
    needs: ['events:read'],
    body: estimate('/api/v1/events/raw'),
    type: 'application/json',
    ok: 200,
    restricted: { raw_data: 403 },
  },
];

let service: TestService;
let ours: TestAsset;
let theirs: TestAsset;
let objects: Objects;
let tokens: { expired: string; revoked: string };

beforeAll(async () => {
  service = await startService({}, RecordingModule);
  [ours, theirs] = [await service.newAsset(), await service.newAsset()];
  objects = await makeObjects();
  tokens = { expired: await spoiled('expires_at'), revoked: await spoiled('revoked_at') };
});

afterAll(async () => {
  await service.stop();
});

/** A token that was good until a minute ago. */
async function spoiled(column: 'expires_at' | 'revoked_at'): Promise<string> {
  const token = await service.newToken(ours.assetId, PERMISSIONS);
  await service.dataSource.query(
    `UPDATE access.api_token SET ${column} = now() - interval '1 minute' WHERE token_id = $1`,
    [token.split('_')[1]],
  );
  return token;
}

async function makeObjects(): Promise<Objects> {
  const headers = { Authorization: `Bearer ${ours.token}`, 'Content-Type': 'text/csv' };
  const imported = await fetch(`${service.baseUrl}/api/v1/cost-import`, { method: 'POST', headers, body: CSV });
  const importId = imported.headers.get('x-service-import-id') ?? '';
  const exported = async (path: string): Promise<string> =>
    (await fetch(service.baseUrl + path, { headers })).headers.get('x-service-export-id') ?? '';
  return {
    import: importId,
    ended: importId,
    raw: await exported(`/api/v1/events/raw?format=csv&${RANGE}`),
    channels: await exported(`/api/v1/export/channels.csv?${RANGE}`),
    rule: importId,
    run: await storeRun(service, ours),
    test: await storeTest(service, ours),
  };
}

async function status(endpoint: Endpoint, token: string | undefined, asset?: string): Promise<[number, string]> {
  const { body } = endpoint;
  const url = new URL(endpoint.path?.(objects) ?? endpoint.route, service.baseUrl);
  if (asset !== undefined) url.searchParams.set('asset_id', asset);
  const response = await fetch(url, {
    method: endpoint.method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(endpoint.type === undefined ? {} : { 'Content-Type': endpoint.type }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : body() }),
  });
  const text = await response.text();
  const problem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  return [response.status, problem && text !== '' ? (JSON.parse(text) as { code: string }).code : ''];
}

/** HEAD has no body to say it in. */
function code({ method }: Endpoint, name: string): string {
  return method === 'HEAD' ? '' : name;
}

async function restrictedToken(needs: readonly Permission[], restriction: Restriction): Promise<string> {
  const principal = `restricted ${Math.random()}`;
  await service.admin.addMember(ours.assetId, principal, needs);
  await service.admin.restrictMember(ours.assetId, principal, [restriction]);
  return (await service.admin.createToken(principal)).token;
}

it('knows every guarded route', () => {
  const open = /^\/(files|health|metrics|docs|api\/v1\/(openapi|asyncapi)\.json)/;
  const routes = service.app
    .get(RouteRecord)
    .routes.filter(({ url }) => !open.test(url))
    .map(({ method, url }) => `${method} ${url}`);
  expect([...new Set(ENDPOINTS.map(({ method, route }) => `${method} ${route}`))].sort()).toEqual(
    [...new Set(routes)].sort(),
  );
});

describe.each(
  ENDPOINTS.map(
    (endpoint) => [`${endpoint.method} ${endpoint.path?.(placeholders()) ?? endpoint.route}`, endpoint] as const,
  ),
)('%s', (_, endpoint) => {
  it('without a token, with one that has expired or was revoked: 401', async () => {
    expect(await status(endpoint, undefined)).toEqual([401, code(endpoint, 'unauthenticated')]);
    expect(await status(endpoint, tokens.expired)).toEqual([401, code(endpoint, 'unauthenticated')]);
    expect(await status(endpoint, tokens.revoked)).toEqual([401, code(endpoint, 'unauthenticated')]);
  });

  it('for the asset or the object of another tenant: 404', async () => {
    expect(await status(endpoint, theirs.token, ours.assetId)).toEqual([404, code(endpoint, 'not_found')]);
    expect(await status(endpoint, ours.token, theirs.assetId)).toEqual([404, code(endpoint, 'not_found')]);
  });

  it('with every permission but those that are enough: 403', async () => {
    const others = PERMISSIONS.filter((permission) => !endpoint.needs.includes(permission));
    const token = await service.newToken(ours.assetId, others);
    expect(await status(endpoint, token)).toEqual([403, code(endpoint, 'forbidden')]);
  });

  it.each(endpoint.needs.map((permission) => [permission]))('with %s alone: as it should be', async (permission) => {
    const token = await service.newToken(ours.assetId, [permission]);
    expect((await status(endpoint, token))[0]).toBe(endpoint.ok);
  });

  it.each(['raw_data', 'cost_data'] as const)('with the restriction %s', async (restriction) => {
    const token = await restrictedToken(endpoint.needs, restriction);
    expect((await status(endpoint, token))[0]).toBe(endpoint.restricted?.[restriction] ?? endpoint.ok);
  });
});

/** Only for the names of the tests, which are there before the objects are. */
function placeholders(): Objects {
  return {
    import: '<import>',
    ended: '<import>',
    raw: '<raw export>',
    channels: '<channels export>',
    rule: '<rule>',
    run: '<run>',
    test: '<test>',
  };
}
