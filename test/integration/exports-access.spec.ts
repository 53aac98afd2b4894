import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExportRecord } from '#contracts/exports.js';
import { PERMISSIONS, type Permission, type Restriction } from '#contracts/permissions.js';
import { call } from '../fixtures/cost-import-client.js';
import { endOf, EXPORTS, get, order, recordOf } from '../fixtures/export-client.js';
import { FakeFile, moduleWith } from '../fixtures/fake-exports.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

/** Each path with the permission that it needs, and the restriction that keeps it from a member. */
const PATHS: readonly [path: string, permission: Permission, refusedTo?: Restriction][] = [
  ...(['channels', 'sources', 'geo', 'tech', 'overview'] as const).map(
    (report) => [`/api/v1/export/${report}.csv`, 'reports:read'] as [string, Permission],
  ),
  ['/api/v1/export/users.csv', 'users:read'],
  ['/api/v1/export/channels', 'reports:read'],
  ['/api/v1/export/channels?format=json', 'reports:read'],
  ['/api/v1/events/raw?format=csv', 'events:read', 'raw_data'],
  ['/api/v1/consent/export', 'consent:read'],
  ['/api/v1/consent/export?format=json', 'consent:read'],
];
const FILE_PERMISSIONS: readonly Permission[] = ['reports:read', 'users:read', 'events:read', 'consent:read'];
const files = [
  ...(['channels', 'sources', 'geo', 'tech', 'overview', 'users'] as const),
  ...(['channels-advanced', 'raw-events', 'consent-records'] as const),
].map((file) => new FakeFile(file));

let service: TestService;
let asset: TestAsset;
let principals = 0;

beforeAll(async () => {
  service = await startService({}, moduleWith(files));
  asset = await service.newAsset();
  const [channels] = files;
  channels!.make = (_snapshot, { parameters }) => Promise.resolve({ holdsCost: !parameters.omitCost });
});

afterAll(async () => {
  await service.stop();
});

interface Told {
  code?: string;
}

/** A member of the asset; `set` changes what it may while its token stays. */
async function member(
  permissions: readonly Permission[],
  restrictions: readonly Restriction[] = [],
): Promise<TestAsset & { principal: string; tokenId: string }> {
  const principal = `export reader ${++principals}`;
  await service.admin.addMember(asset.assetId, principal, permissions);
  await service.admin.restrictMember(asset.assetId, principal, restrictions);
  const { token, token_id: tokenId } = await service.admin.createToken(principal);
  return { ...asset, token, principal, tokenId };
}

const statusAndCode = async (
  who: TestAsset,
  path: string,
  token?: string | null,
): Promise<[number, string | undefined]> => {
  const { status, body } = await get<Told>(service, who, path, token === undefined ? {} : { token });
  return [status, status < 400 ? undefined : body.code];
};
const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

describe.each(PATHS)('%s', (path, permission, refusedTo) => {
  it('is for members with its permission', async () => {
    expect(await statusAndCode(await member([permission]), path)).toEqual([200, undefined]);
    const others = PERMISSIONS.filter((other) => other !== permission);
    expect(await statusAndCode(await member(others), path)).toEqual([403, 'forbidden']);
    expect(await statusAndCode(await member([]), path)).toEqual([403, 'forbidden']);
  });

  it('is kept from a member by the restriction that is meant for it, and no other', async () => {
    for (const restriction of ['raw_data', 'cost_data'] as const) {
      const expected = restriction === refusedTo ? [403, 'raw_data_restricted'] : [200, undefined];
      expect(await statusAndCode(await member([permission], [restriction]), path)).toEqual(expected);
    }
  });

  it('needs a good token, and its own asset', async () => {
    expect(await statusAndCode(asset, path, null)).toEqual([401, 'unauthenticated']);
    expect(await statusAndCode(asset, path, 'tp_0123456789abcdef_nonsense')).toEqual([401, 'unauthenticated']);
    const { token, tokenId } = await member([permission]);
    const other = await service.newAsset();
    expect(await statusAndCode({ ...asset, token }, withQuery(path, `asset_id=${other.assetId}`))).toEqual([
      404,
      'not_found',
    ]);
    await service.dataSource.query('UPDATE access.api_token SET expires_at = now() WHERE token_id = $1', [tokenId]);
    expect(await statusAndCode(asset, path, token)).toEqual([401, 'unauthenticated']);
    const revoked = await member([permission]);
    await service.admin.revokeToken(revoked.tokenId);
    expect(await statusAndCode(revoked, path)).toEqual([401, 'unauthenticated']);
  });

  it('is refused for its parameters before anything is said of assets and permissions', async () => {
    const stranger = await member([]);
    for (const query of ['colour=red', 'from=x', 'from=2026-02-02&to=2026-02-01'])
      expect(await statusAndCode(stranger, withQuery(path, query))).toEqual([400, 'invalid_parameter']);
    expect(await statusAndCode(stranger, withQuery(path, 'from=2020-01-01&to=2026-01-01'))).toEqual([
      400,
      'range_too_large',
    ]);
    expect(await statusAndCode(asset, withQuery(path, 'colour=red'), null)).toEqual([401, 'unauthenticated']);
  });

  it('is estimated for whom it is', async () => {
    const body = JSON.stringify({ path });
    const ask = async (who: TestAsset): Promise<[number, string | undefined]> => {
      const { status, body: told } = await call<Told>(service, who, body, {
        path: `${EXPORTS}/estimate`,
        headers: { 'Content-Type': 'application/json' },
      });
      return [status, told.code];
    };
    expect(await ask(await member([permission]))).toEqual([200, undefined]);
    const others = PERMISSIONS.filter((other) => other !== permission);
    expect(await ask(await member(others))).toEqual([403, 'forbidden']);
    expect(await ask(await member(['cost:read']))).toEqual([403, 'forbidden']);
    if (refusedTo !== undefined)
      expect(await ask(await member([permission], [refusedTo]))).toEqual([403, 'raw_data_restricted']);
  });

  it('can be looked at and downloaded later by whom it is for then', async () => {
    const id = await order(service, asset, path);
    await endOf(service, asset, id);
    const paths = [`${EXPORTS}/${id}`, `${EXPORTS}/${id}/file`];
    const look = async (who: TestAsset): Promise<unknown[]> => {
      const [record, file] = paths as [string, string];
      const redirect = await fetch(service.baseUrl + file, {
        redirect: 'manual',
        headers: { Authorization: `Bearer ${who.token}` },
      });
      return [...(await statusAndCode(who, record)), redirect.status];
    };
    expect(await look(await member([permission]))).toEqual([200, undefined, 302]);
    const others = PERMISSIONS.filter((other) => other !== permission);
    expect(await look(await member(others))).toEqual([403, 'forbidden', 403]);
    expect(await look(await member([]))).toEqual([403, 'forbidden', 403]);
    if (refusedTo !== undefined)
      expect(await look(await member([permission], [refusedTo]))).toEqual([403, 'raw_data_restricted', 403]);
    for (const one of paths) {
      expect(await statusAndCode(asset, one, null)).toEqual([401, 'unauthenticated']);
      expect(await statusAndCode(await service.newAsset(), one)).toEqual([404, 'not_found']);
    }
  });
});

describe('a report that does not exist', () => {
  it('is told to every token, before parameters, assets and permissions', async () => {
    const stranger = await member([]);
    for (const query of ['', '?colour=red', '?asset_id=019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10'])
      expect(await statusAndCode(stranger, `/api/v1/export/nothing.csv${query}`)).toEqual([404, 'unknown_report']);
    expect(await statusAndCode(stranger, '/api/v1/export/nothing.csv', null)).toEqual([401, 'unauthenticated']);
  });
});

describe('a file that holds cost data', () => {
  it('is refused to members who were restricted after it was made, and they get one without', async () => {
    const reader = await member(['reports:read']);
    const path = '/api/v1/export/channels.csv';
    const id = await order(service, reader, path);
    expect((await endOf(service, reader, id)).download_url).toContain('/files/');
    await service.admin.restrictMember(asset.assetId, reader.principal, ['cost_data']);
    for (const later of [`${EXPORTS}/${id}`, `${EXPORTS}/${id}/file`]) {
      const { status, body } = await get<Told & { detail: string }>(service, reader, later);
      expect([status, body.code, body.detail]).toEqual([403, 'forbidden', expect.stringContaining('cost data')]);
    }
    const without = await order(service, reader, path);
    expect((await endOf(service, reader, without)).download_url).toContain('/files/');
    const { items } = (await get<{ items: ExportRecord[] }>(service, reader, EXPORTS)).body;
    const links = new Map(items.map((item) => [item.export_id, item.download_url !== null]));
    expect([links.get(id), links.get(without)]).toEqual([false, true]);
    await service.admin.restrictMember(asset.assetId, reader.principal, []);
    expect((await recordOf(service, reader, id)).download_url).toContain('/files/');
  });
});

describe('the list', () => {
  it('shows what the permissions cover, and needs one of a file', async () => {
    const ids = new Map<Permission, string[]>();
    for (const [path, permission] of PATHS) {
      const id = await order(service, asset, path);
      ids.set(permission, [...(ids.get(permission) ?? []), id]);
      await endOf(service, asset, id);
    }
    for (const permissions of [
      ...FILE_PERMISSIONS.map((one) => [one]),
      ['events:read', 'users:read'],
    ] as Permission[][]) {
      const reader = await member(permissions);
      const { items } = (await get<{ items: ExportRecord[] }>(service, reader, `${EXPORTS}?limit=200`)).body;
      const seen = items.map(({ export_id: id }) => id);
      for (const [permission, made] of ids)
        expect({ permission, seen: made.every((id) => seen.includes(id)) }).toEqual({
          permission,
          seen: permissions.includes(permission),
        });
    }
    const ofFiles: readonly Permission[] = [...FILE_PERMISSIONS, 'integrity:read', 'models:read'];
    const others = PERMISSIONS.filter((permission) => !ofFiles.includes(permission));
    expect(await statusAndCode(await member(others), EXPORTS)).toEqual([403, 'forbidden']);
    const restricted = await member(['events:read'], ['raw_data']);
    const { items } = (await get<{ items: ExportRecord[] }>(service, restricted, EXPORTS)).body;
    expect(items.map(({ download_url: url }) => url)).toEqual(items.map(() => null));
    expect((await get<{ items: [] }>(service, await service.newAsset(), EXPORTS)).body.items).toEqual([]);
  });

  it('asks for the asset when the token sees several, as the files do', async () => {
    const { principal, token } = await member(['reports:read']);
    const { assetId } = await service.newAsset();
    await service.admin.addMember(assetId, principal, ['users:read']);
    for (const path of [EXPORTS, '/api/v1/export/geo.csv']) {
      expect(await statusAndCode({ ...asset, token }, path)).toEqual([400, 'asset_required']);
      expect(await statusAndCode({ ...asset, token }, `${path}?asset_id=${asset.assetId}`)).toEqual([200, undefined]);
    }
    expect(await statusAndCode({ ...asset, token }, `/api/v1/export/geo.csv?asset_id=${assetId}`)).toEqual([
      403,
      'forbidden',
    ]);
  });
});
