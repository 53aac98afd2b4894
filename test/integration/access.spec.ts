import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '#contracts/permissions.js';
import {
  call,
  IMPORT_PATH,
  queueFile,
  refused,
  type CallOptions,
  type ProblemBody,
} from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;
let other: TestAsset;

beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
  other = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const GOOD = 'date,channel,cost\n2024-01-07,Google,1\n';
const JOBS = `${IMPORT_PATH}/jobs`;
const GUARDED: [string, string][] = [
  ['POST', IMPORT_PATH],
  ['POST', `${IMPORT_PATH}/async`],
  ['GET', JOBS],
  ['GET', `${JOBS}/${randomUUID()}`],
  ['POST', `${JOBS}/${randomUUID()}/cancel`],
  ['GET', `${IMPORT_PATH}/template`],
];

async function refusal(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ProblemBody & { headers: Headers }> {
  const { status, headers, body } = await refused(service, asset, method === 'POST' ? GOOD : undefined, {
    method,
    path,
    ...options,
  });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(Object.keys(body).slice(0, 3)).toEqual(['type', 'title', 'status']);
  expect(body).toMatchObject({
    type: `urn:problem:${body.code.replaceAll('_', '-')}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: path.split('?')[0],
  });
  expect(body.request_id).toBe(headers.get('x-request-id'));
  return { ...body, headers };
}

describe.each(GUARDED)('%s %s', (method, path) => {
  it('without a valid bearer token is 401', async () => {
    const [id, secret] = asset.token.slice(3).split('_', 2) as [string, string];
    const tokens = [
      null,
      '',
      'x',
      asset.token.slice(0, -1),
      `${asset.token}x`,
      `tp_${id}_${'A'.repeat(43)}`,
      `tp_${'0'.repeat(16)}_${secret}`,
      `${asset.token} ${asset.token}`,
      `tp_${id}'--_${secret}`,
    ];
    for (const token of tokens) {
      const problem = await refusal(method, path, { token });
      expect(problem).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(problem.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('takes the token from nowhere else', async () => {
    for (const [where, headers] of [
      [`${path}?access_token=${asset.token}`, {}],
      [`${path}?token=${asset.token}`, {}],
      [path, { 'X-Api-Key': asset.token }],
      [path, { Authorization: asset.token }],
      [path, { Authorization: `Basic ${btoa(`x:${asset.token}`)}` }],
      [path, { Cookie: `token=${asset.token}` }],
    ] as const) {
      expect(await refusal(method, where, { token: null, headers })).toMatchObject({ status: 401 });
    }
  });

  it.each([
    ['unknown=1', 'unknown'],
    ['Asset_Id=1', 'Asset_Id'],
    ['constructor=1', 'constructor'],
    ['toString=1', 'toString'],
    ['__proto__=1', '__proto__'],
    ['hasOwnProperty=1', 'hasOwnProperty'],
    ['=1', ''],
    ['asset_id[]=1', 'asset_id[]'],
    ['asset_id=x', 'asset_id'],
    ['asset_id=', 'asset_id'],
    ['asset_id=a&asset_id=b', 'asset_id'],
  ])('with ?%s is 400 and names it', async (query, name) => {
    expect(await refusal(method, `${path}?${query}`)).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      errors: [{ name, reason: expect.any(String) }],
    });
  });

  it('of an asset that is not the member’s, or of none, is 404', async () => {
    const answers = await Promise.all(
      [other.assetId, randomUUID()].map((assetId) => refusal(method, `${path}?asset_id=${assetId}`)),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, code: 'not_found' });
    expect(answers[0]?.detail).toBe(answers[1]?.detail);
  });
});

it('a parameter given twice is named, also when both are equal', async () => {
  const problem = await refusal('POST', `${IMPORT_PATH}?asset_id=${asset.assetId}&asset_id=${asset.assetId}`);
  expect(problem['errors']).toEqual([{ name: 'asset_id', reason: 'is given more than once' }]);
});

it('asset_id may be written in upper case', async () => {
  expect(
    (await call(service, asset, GOOD, { path: `${IMPORT_PATH}?asset_id=${asset.assetId.toUpperCase()}` })).status,
  ).toBe(200);
});

describe('a token', () => {
  it('stops working at once when it is revoked or expires', async () => {
    await service.admin.addMember(asset.assetId, 'leaver', PERMISSIONS);
    const { token, token_id: id } = await service.admin.createToken('leaver', 30);
    expect((await call(service, asset, GOOD, { token })).status).toBe(200);
    await service.dataSource.query(
      `UPDATE access.api_token SET expires_at = now() - interval '1 second' WHERE token_id = $1`,
      [id],
    );
    expect(await refusal('POST', IMPORT_PATH, { token })).toMatchObject({ status: 401 });
    await service.dataSource.query(`UPDATE access.api_token SET expires_at = NULL WHERE token_id = $1`, [id]);
    expect((await call(service, asset, GOOD, { token })).status).toBe(200);
    await service.admin.revokeToken(id);
    expect(await refusal('POST', IMPORT_PATH, { token })).toMatchObject({ status: 401 });
  });

  it('is never stored', async () => {
    const [row] = await service.dataSource.query('SELECT t::text AS row FROM access.api_token t WHERE token_id = $1', [
      asset.token.split('_')[1],
    ]);
    expect(row.row).not.toContain(asset.token.split('_').slice(2).join('_'));
  });

  it('that sees several assets must say which, and one that sees none can say nothing', async () => {
    const [one, two] = [await service.newAsset(), await service.newAsset()];
    for (const { assetId } of [one, two]) await service.admin.addMember(assetId, 'agency', PERMISSIONS);
    const { token } = await service.admin.createToken('agency');
    expect(await refusal('POST', IMPORT_PATH, { token })).toMatchObject({ status: 400, code: 'asset_required' });
    expect((await call(service, one, GOOD, { token, path: `${IMPORT_PATH}?asset_id=${two.assetId}` })).status).toBe(
      200,
    );
    const jobs = await call<{ items: unknown[] }>(service, one, undefined, {
      method: 'GET',
      token,
      path: `${JOBS}?asset_id=${one.assetId}`,
    });
    expect(jobs.body.items).toEqual([]);
    for (const { assetId } of [one, two]) await service.admin.removeMember(assetId, 'agency');
    expect(await refusal('POST', IMPORT_PATH, { token })).toMatchObject({ status: 400, code: 'asset_required' });
  });
});

describe('a permission', () => {
  it.each(PERMISSIONS)('%s alone opens what it opens', async (permission) => {
    const token = await service.newToken(asset.assetId, [permission]);
    const statuses = await Promise.all(
      GUARDED.map(
        async ([method, path]) =>
          (await call(service, asset, method === 'POST' ? GOOD : undefined, { method, path, token })).status,
      ),
    );
    if (permission === 'cost:write') expect(statuses).toEqual([200, 202, 200, 404, 404, 200]);
    else if (permission === 'cost:read') expect(statuses).toEqual([403, 403, 200, 404, 404, 200]);
    else expect(statuses).toEqual([403, 403, 403, 404, 404, 403]);
  });

  it('that is missing is told, also for a job of the asset', async () => {
    const { headers } = await call(service, asset, GOOD);
    const token = await service.newToken(asset.assetId, ['reports:read']);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ] as const) {
      expect(await refusal(method, `${JOBS}/${headers.get('x-service-import-id')}${path}`, { token })).toMatchObject({
        status: 403,
        code: 'forbidden',
      });
    }
  });
});

it('another tenant’s job does not exist', async () => {
  const id = await queueFile(service, other, GOOD);
  for (const [method, path] of [
    ['GET', `${JOBS}/${id}`],
    ['POST', `${JOBS}/${id}/cancel`],
    ['GET', `${JOBS}/${id}?asset_id=${asset.assetId}`],
    ['GET', `${JOBS}/${id}?asset_id=${other.assetId}`],
  ] as const) {
    const mine = await refusal(method, path);
    const none = await refusal(method, path.replace(id, randomUUID()));
    expect([mine.status, mine.code, mine.detail, mine.title]).toEqual([
      none.status,
      none.code,
      none.detail,
      none.title,
    ]);
    expect(mine.status).toBe(404);
  }
  const { body } = await call<{ items: { import_id: string }[] }>(service, asset, undefined, {
    method: 'GET',
    path: `${JOBS}?limit=200`,
  });
  expect(body.items.map((job) => job.import_id)).not.toContain(id);
});

it.each(['x', '1', `${randomUUID()}x`, '%00', '%27', '..%2f..', 'A'.repeat(199), randomUUID().toUpperCase()])(
  'the job %s is 404',
  async (id) => {
    expect(await refusal('GET', `${JOBS}/${id}`)).toMatchObject({ status: 404, code: 'not_found' });
  },
);
