import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EXPORTS, get, recordOf } from '../fixtures/export-client.js';
import { FakeFile, moduleWith } from '../fixtures/fake-exports.js';
import type { ProblemBody } from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const geo = new FakeFile('geo');
const advanced = new FakeFile('channels-advanced');
const consent = new FakeFile('consent-records');
const raw = new FakeFile('raw-events', { heavy: true });
let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({}, moduleWith([geo, advanced, consent, raw]));
});

beforeEach(async () => {
  asset = await service.newAsset({ timezone: 'Asia/Tokyo' });
  for (const file of [geo, advanced, consent, raw]) file.reset();
});

afterAll(async () => {
  await service.stop();
});

const GEO = '/api/v1/export/geo.csv';
const CHANNELS = '/api/v1/export/channels';
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  get(service, asset, path, { headers, method });
const refused = (path: string) => get<ProblemBody>(service, asset, path);

/** What an answer says of a file, without what each answer has anew. */
function toldOf(headers: Headers): Record<string, string> {
  const changing = ['date', 'x-request-id', 'x-service-export-id', 'ratelimit', 'connection', 'keep-alive'];
  return Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)));
}

describe('a file', () => {
  it('comes with every header of a delivery', async () => {
    const { status, headers, body } = await ask(`${GEO}?from=2026-01-01&to=2026-01-31`);
    expect([status, body]).toEqual([200, 'name\nvalue\n']);
    expect(toldOf(headers)).toEqual({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="tallyport-geo.csv"',
      'content-length': '11',
      etag: `"${sha256(body).toString('base64url')}"`,
      'repr-digest': `sha-256=:${sha256(body).toString('base64')}:`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-service-export-rows': '1',
      'x-service-asset': asset.assetId,
      'x-service-date-range': '2026-01-01..2026-01-31',
      'x-service-timezone': 'Asia/Tokyo',
      'ratelimit-policy': '"exports";q=100000;w=60',
    });
    expect(headers.get('ratelimit')).toMatch(/^"exports";r=99999;t=\d+$/);
  });

  it('says what it does not hold, and what was changed in it', async () => {
    geo.make = () =>
      Promise.resolve({
        limit: 5000,
        truncated: 17,
        columnsOmitted: ['spend', 'reported_roas'],
        counts: () => ({ rows: 5000, formulasEscaped: 3 }),
      });
    const { headers } = await ask(GEO);
    expect(toldOf(headers)).toMatchObject({
      'x-service-export-rows': '5000',
      'x-service-export-limit': '5000',
      'x-service-export-truncated': '17',
      'x-service-columns-omitted': 'spend,reported_roas',
      'x-service-formulas-escaped': '3',
    });
  });

  it('may be empty of rows, and larger than memory is used for', async () => {
    geo.make = () => Promise.resolve({ text: '', counts: () => ({ rows: 0, formulasEscaped: 0 }) });
    expect(await ask(GEO)).toMatchObject({ status: 200, body: '' });
    const text = `${'0123456789abcdef'.repeat(1000)}\n`.repeat(400);
    geo.make = () => Promise.resolve({ text });
    const { headers, body } = await ask(GEO);
    expect([headers.get('content-length'), sha256(body).toString('hex')]).toEqual([
      String(text.length),
      sha256(text).toString('hex'),
    ]);
  });

  it('is asked for with what the query says', async () => {
    await ask(`${GEO}?from=2026-01-01&to=2026-01-02&bom=1&formulas=raw&asset_id=${asset.assetId}`);
    expect(geo.last).toMatchObject({
      assetId: asset.assetId,
      parameters: {
        from: '2026-01-01',
        to: '2026-01-02',
        format: 'csv',
        bom: true,
        escapeFormulas: false,
        omitCost: false,
        asset: { name: 'Test Shop', timezone: 'Asia/Tokyo', currency: 'USD' },
        serviceName: 'tallyport',
      },
    });
    await ask(`${GEO}?bom=0&formulas=escaped`);
    expect(geo.last?.parameters).toMatchObject({ bom: false, escapeFormulas: true });
    await ask(GEO);
    expect(geo.last?.parameters).not.toHaveProperty('bom');
  });

  it('is JSON where the path has it, and then takes neither bom nor formulas', async () => {
    for (const [path, file] of [
      [CHANNELS, advanced],
      ['/api/v1/consent/export', consent],
    ] as const) {
      file.make = () => Promise.resolve({ text: '{}\n' });
      const { headers, body } = await ask(`${path}?format=json`);
      expect([headers.get('content-type'), body]).toEqual(['application/json', {}]);
      expect(headers.get('content-disposition')).toContain('.json"');
      expect(file.last?.parameters.format).toBe('json');
      expect((await ask(`${path}?format=csv&bom=0`)).headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const { status, body: problem } = await refused(`${path}?format=json&bom=0&formulas=escaped`);
      expect([status, problem['errors']]).toMatchObject([400, [{ name: 'bom' }, { name: 'formulas' }]]);
    }
  });

  it.each(['', 'format=', 'format=json', 'format=CSV'])('of raw events needs format=csv, not %j', async (query) => {
    const { status, body } = await refused(`/api/v1/events/raw?${query}`);
    expect([status, body.code, body['errors']]).toEqual([
      400,
      'invalid_parameter',
      [{ name: 'format', reason: 'must be csv' }],
    ]);
    expect((await ask('/api/v1/events/raw?format=csv')).status).toBe(200);
  });

  it.each([
    ['from=2026-02-30', ['from']],
    ['from=2026-01-02&to=2026-01-01', ['from']],
    ['from=2026-01-01&from=2026-01-01', ['from']],
    ['bom=2&formulas=no', ['bom', 'formulas']],
    ['format=csv', ['format']],
    ['colour=red&limit=3', ['colour', 'limit']],
    ['asset_id=x', ['asset_id']],
  ])('is not made with ?%s', async (query, names) => {
    const { status, body } = await refused(`${GEO}?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_parameter']);
    expect((body['errors'] as { name: string }[]).map(({ name }) => name).sort()).toEqual(names);
    expect(geo.builds).toBe(0);
  });

  it('of more than 366 days is range_too_large', async () => {
    expect(await refused(`${GEO}?from=2024-01-01&to=2025-01-01`)).toMatchObject({
      status: 400,
      body: { code: 'range_too_large' },
    });
    expect((await ask(`${GEO}?from=2024-01-01&to=2024-12-31`)).status).toBe(200);
  });

  it('of another name is no report', async () => {
    for (const name of ['nothing', 'channels-advanced', 'GEO', 'geo.csv', 'constructor', 'a%2Fb', '%F0%9F%8F%A0']) {
      expect({ name, ...(await refused(`/api/v1/export/${name}.csv`)) }).toMatchObject({
        name,
        status: 404,
        body: {
          code: 'unknown_report',
          allowed: ['channels', 'sources', 'geo', 'tech', 'overview', 'users'],
        },
      });
    }
    expect(await refused('/api/v1/export/.csv')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await refused('/api/v1/export/geo')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await refused('/api/v1/export/geo.json')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const answer = await get<ProblemBody>(service, asset, GEO, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('of an asset with an ugly name comes all the same', async () => {
    const name = `=cmd|' /C calc'!A0 "quoted"\r\n\tSet-Cookie: a=b 🏠 ünï`;
    await service.dataSource.query('UPDATE access.asset SET name = $1 WHERE asset_id = $2', [name, asset.assetId]);
    const { status, headers } = await ask(GEO);
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    expect(geo.last?.parameters.asset.name).toBe(name);
  });

  it('that two ask for at once is made for each', async () => {
    let arrived = 0;
    let open: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    geo.make = async () => {
      if (++arrived === 2) open();
      await both;
      return {};
    };
    const answers = await Promise.all([ask(GEO), ask(GEO)]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, 'name\nvalue\n']));
    const ids = answers.map(({ headers }) => headers.get('x-service-export-id'));
    expect(new Set(ids).size).toBe(2);
  });
});

describe('HEAD', () => {
  it('says the same as GET and has no body', async () => {
    const expected = toldOf((await ask(`${GEO}?to=2026-01-31`)).headers);
    const { status, headers, body } = await ask(`${GEO}?to=2026-01-31`, {}, 'HEAD');
    expect([status, body, toldOf(headers)]).toEqual([200, '', expected]);
    expect(geo.builds).toBe(2);
    expect(await ask(`${GEO}?to=x`, {}, 'HEAD')).toMatchObject({ status: 400, body: '' });
  });
});

describe('If-None-Match', () => {
  it('is 304 with the same validators for the same bytes', async () => {
    const first = await ask(`${GEO}?to=2026-01-31`);
    const tag = first.headers.get('etag')!;
    const { 'content-length': _length, 'content-type': _type, ...expected } = toldOf(first.headers);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, `"a,b",W/${tag} , "y"`, '*', ' * ']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, body } = await ask(`${GEO}?to=2026-01-31`, { 'If-None-Match': known }, method);
        const { 'content-type': _ofHead, ...told } = toldOf(headers);
        expect([known, status, body, told]).toEqual([known, 304, '', expected]);
      }
    }
    for (const known of ['"x"', tag.slice(1, -1), '', `"*"`, `"${tag.slice(1, 10)}"`])
      expect((await ask(`${GEO}?to=2026-01-31`, { 'If-None-Match': known })).status).toBe(200);
    geo.make = () => Promise.resolve({ text: 'other\n' });
    expect((await ask(`${GEO}?to=2026-01-31`, { 'If-None-Match': tag })).status).toBe(200);
  });

  it('works for a file that tells when it was made', async () => {
    let makings = 0;
    let rows = 'a,1\n';
    advanced.make = () => {
      const generated = `2026-02-01T08:00:0${makings++}Z`;
      return Promise.resolve({ generated, text: `# Generated: ${generated}\n${rows}` });
    };
    const [first, second] = [await ask(CHANNELS), await ask(CHANNELS)];
    expect(first.body).not.toBe(second.body);
    expect(first.headers.get('repr-digest')).not.toBe(second.headers.get('repr-digest'));
    const tag = first.headers.get('etag')!;
    expect(tag).toBe(`W/"${sha256(`# Generated: \n${rows}`).toString('base64url')}"`);
    expect(second.headers.get('etag')).toBe(tag);
    for (const known of [tag, tag.slice(2)]) expect((await ask(CHANNELS, { 'If-None-Match': known })).status).toBe(304);
    rows = 'a,2\n';
    expect((await ask(CHANNELS, { 'If-None-Match': tag })).status).toBe(200);
  });
});

describe('Prefer: respond-async', () => {
  it.each(['respond-async', 'wait=5, RESPOND-ASYNC; x="y"'])(
    '(%s) answers at once where the file will be',
    async (prefer) => {
      const { status, headers, body } = await get<{ export_id: string }>(service, asset, `${GEO}?to=2026-01-31`, {
        headers: { Prefer: prefer },
      });
      expect([status, body]).toEqual([202, { export_id: expect.any(String), status: 'queued' }]);
      expect(toldOf(headers)).toMatchObject({
        location: `${EXPORTS}/${body.export_id}`,
        'preference-applied': 'respond-async',
        'x-service-asset': asset.assetId,
        'x-service-date-range': '2026-01-02..2026-01-31',
        'x-service-timezone': 'Asia/Tokyo',
      });
      expect(headers.get('x-service-export-id')).toBe(body.export_id);
      expect((await recordOf(service, asset, body.export_id)).path).toBe(GEO);
    },
  );

  it('is not followed when it is not said', async () => {
    const { status, headers } = await ask(GEO, { Prefer: 'wait=5, x="respond-async"' });
    expect([status, headers.get('preference-applied')]).toEqual([200, null]);
  });
});
