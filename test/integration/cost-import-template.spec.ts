import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call, importFile, IMPORT_PATH, refused, storedRows, type Answer } from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_EXPORTS_PER_MINUTE: '1000' });
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const TEMPLATE = `${IMPORT_PATH}/template`;
const get = (query = '', headers: Record<string, string> = {}, method = 'GET'): Promise<Answer<string>> =>
  call<string>(service, asset, undefined, { method, path: `${TEMPLATE}${query}`, headers });

describe.each([
  ['', 'tallyport_cost_template.csv', 1],
  ['?example=0', 'tallyport_cost_template.csv', 1],
  ['?example=1', 'tallyport_cost_example.csv', 36],
])('template%s', (query, name, rows) => {
  it('imports with no error and no warning, also for an asset far east or west', async () => {
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      asset = await service.newAsset({ timezone });
      const { body } = await get(query);
      expect(await importFile(service, asset, body)).toMatchObject({
        total: rows,
        inserted: rows,
        skipped: 0,
        errors: [],
        warnings: [],
      });
    }
  });

  it('has its name, length, digest and tag, and no byte-order mark unless one is wanted', async () => {
    const plain = await get(query);
    expect(plain.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(plain.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(plain.headers.get('content-length')).toBe(String(Buffer.byteLength(plain.body)));
    expect(plain.headers.get('cache-control')).toBe('private, no-store');
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
    expect(plain.headers.get('repr-digest')).toMatch(/^sha-256=:[\w+/]{43}=:$/);
    expect(plain.body.endsWith('\n') && !plain.body.includes('\r')).toBe(true);
    const joined = query === '' ? '?' : `${query}&`;
    const length = async (more: string): Promise<number> =>
      Number((await get(`${joined}${more}`)).headers.get('content-length'));
    expect(await length('bom=1')).toBe(Buffer.byteLength(plain.body) + 3);
    expect(await length('bom=0')).toBe(Buffer.byteLength(plain.body));
  });

  it('is not sent again to who has it', async () => {
    const etag = (await get(query)).headers.get('etag') ?? '';
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect(await get(query, { 'If-None-Match': tag })).toMatchObject({ status: 304, body: '' });
    expect((await get(query, { 'If-None-Match': '"x"' })).status).toBe(200);
  });
});

it('the template is guidance, header and one sample row', async () => {
  const lines = (await get()).body.trimEnd().split('\n');
  const guidance = lines.filter((line) => line.startsWith('#'));
  expect(guidance.length).toBeGreaterThan(2);
  expect(lines.slice(0, guidance.length)).toEqual(guidance);
  expect(lines.slice(guidance.length)).toHaveLength(2);
  expect(lines.at(-2)?.split(',').sort()).toEqual([
    'campaign',
    'channel',
    'cost',
    'currency',
    'date',
    'revenue',
    'source',
  ]);
});

it('the example is the last twelve Sundays before today in the time zone of the asset, with three channels each', async () => {
  for (const timezone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    asset = await service.newAsset({ timezone });
    await importFile(service, asset, (await get('?example=1')).body);
    const stored = await storedRows(service, asset);
    const dates = [...new Set(stored.map(({ date }) => date))];
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(new Date());
    expect(dates).toHaveLength(12);
    expect(dates.every((date) => new Date(date).getUTCDay() === 0 && date < today)).toBe(true);
    expect(Date.parse(today) - Date.parse(dates.at(-1)!)).toBeLessThanOrEqual(7 * 86_400_000);
    expect(Date.parse(dates.at(-1)!) - Date.parse(dates[0]!)).toBe(77 * 86_400_000);
    expect(new Set(stored.map(({ channel }) => channel)).size).toBe(3);
  }
});

it.each([
  'example=2',
  'example=',
  'example=true',
  'example=1&example=1',
  'bom=2',
  'formulas=x',
  'format=json',
  'from=2024-01-01',
])('?%s is 400 and names the parameter', async (query) => {
  expect(
    (await refused(service, asset, undefined, { method: 'GET', path: `${TEMPLATE}?${query}` })).body,
  ).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ name: query.split('=')[0] }] });
});

it('each one built counts against the limit of its token, HEAD and 304 too; a refused one does not', async () => {
  const left = async (answer: Promise<Answer<unknown>>): Promise<number> =>
    Number(/;r=(\d+);/.exec((await answer).headers.get('ratelimit') ?? '')?.[1]);
  const first = await get();
  const start = await left(Promise.resolve(first));
  await refused(service, asset, undefined, { method: 'GET', path: `${TEMPLATE}?x=1` });
  const counts = [
    await left(get('', {}, 'HEAD')),
    await left(get('', { 'If-None-Match': first.headers.get('etag') ?? '' })),
    await left(get('?example=1')),
  ];
  // A new minute may have begun.
  if (counts[2]! < start) expect(counts).toEqual([start - 1, start - 2, start - 3]);
  else expect(counts[2]).toBeGreaterThan(990);
});
