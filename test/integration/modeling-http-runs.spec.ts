import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MixRun, MixRunItem } from '#contracts/modeling/mix-run.js';
import { ModelingClient, RUNS, type Told } from '../fixtures/modeling-client.js';
import { GatewayAndModelingFiles } from '../fixtures/modeling-files-module.js';
import { mixNumbers } from '../fixtures/modeling-numbers.js';
import { startService, type TestService } from '../support/service.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UNKNOWN = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

let service: TestService;
let shop: ModelingClient;

beforeAll(async () => {
  service = await startService({}, GatewayAndModelingFiles);
});

beforeEach(async () => {
  shop = await ModelingClient.ofNewAsset(service);
});

afterAll(async () => {
  await service.stop();
});

function stored(runId: string): Promise<Record<string, unknown>[]> {
  return service.dataSource.query(
    `SELECT asset_id, target, trigger, status, asked_from::text, asked_to::text, seed, requested_by, same_as FROM modeling.run WHERE run_id = $1`,
    [runId],
  );
}

function events(assetId: string): Promise<{ topic: string; payload: { data: unknown } }[]> {
  return service.dataSource.query(
    `SELECT topic, payload FROM access.outbox WHERE topic = 'mmm.run-requested.v1' AND key = $1`,
    [assetId],
  );
}

describe('a request for a run', () => {
  it('is 202 with the id of a queued run, its place, and one event', async () => {
    const { status, body, headers } = await shop.send(RUNS, { target: 'goal:signup', seed: 2_147_483_647 });
    const { run_id: runId } = body as { run_id: string };
    expect([status, body]).toEqual([202, { run_id: expect.stringMatching(UUID_V4), status: 'queued' }]);
    expect(headers.get('location')).toBe(`${RUNS}/${runId}`);
    expect(await stored(runId)).toEqual([
      {
        asset_id: shop.asset.assetId,
        target: 'goal:signup',
        trigger: 'request',
        status: 'queued',
        asked_from: null,
        asked_to: null,
        seed: 2_147_483_647,
        requested_by: expect.stringMatching(/^principal/),
        same_as: null,
      },
    ]);
    const found = await events(shop.asset.assetId);
    expect(found.map(({ payload }) => payload.data)).toEqual([{ run_id: runId, asset_id: shop.asset.assetId }]);
  });

  it.each([
    [{ from: '2026-01-07', to: '2026-01-14' }, '2026-01-05', '2026-01-18'],
    [{ from: '2026-01-05', to: '2026-01-11' }, '2026-01-05', '2026-01-11'],
    [{ from: '2026-01-11' }, '2026-01-05', null],
    [{ to: '2026-01-12' }, null, '2026-01-18'],
    [{ from: null, to: null, seed: null }, null, null],
    [{ from: '2021-01-04', to: '2025-12-28' }, '2021-01-04', '2025-12-28'],
    [{ from: '2026-01-08', to: '2026-01-08' }, '2026-01-05', '2026-01-11'],
  ])('widens %j to whole weeks', async (range, from, to) => {
    const runId = await shop.newRun({ target: 'conversions', ...range });
    expect(await stored(runId)).toMatchObject([{ asked_from: from, asked_to: to, seed: 1 }]);
  });

  it.each([
    ['over 260 weeks', { from: '2021-01-04', to: '2025-12-29' }],
    ['over 260 weeks once it is widened', { from: '2021-01-10', to: '2025-12-29' }],
    ['over 260 weeks until the last complete one', { from: '2016-01-04' }],
  ])('%s is range_too_large', async (_, range) => {
    const answer = await shop.send(RUNS, { target: 'conversions', ...range });
    expect(answer).toMatchObject({ status: 400, code: 'range_too_large' });
    expect((answer.body as Told).detail).toContain('260 weeks');
  });

  it.each([
    [{}, 'target is missing'],
    [{ target: null }, 'target is missing'],
    [{ target: 'sessions' }, /^target must be `conversions`/],
    [{ target: 'goal:' }, /^target must be/],
    [{ target: `goal:${'x'.repeat(257)}` }, /^target must be/],
    [{ target: 'goal:\ud800' }, /^target must be/],
    [{ target: 7 }, /^target must be/],
    [{ target: ['conversions'] }, /^target must be/],
    [{ target: 'revenue', from: '2026-02-30' }, /^from must be a date/],
    [{ target: 'revenue', from: '2026-1-1' }, /^from must be a date/],
    [{ target: 'revenue', to: 20_260_101 }, /^to must be a date/],
    [{ target: 'revenue', to: '2101-01-01' }, /^to must be a date/],
    [{ target: 'revenue', from: '2026-01-02', to: '2026-01-01' }, /^from must not be later than `to`/],
    [{ target: 'revenue', seed: 0 }, /^seed must be a whole number/],
    [{ target: 'revenue', seed: 2_147_483_648 }, /^seed/],
    [{ target: 'revenue', seed: 1.5 }, /^seed/],
    [{ target: 'revenue', seed: '1' }, /^seed/],
    [{ target: 'revenue', colour: 'red' }, 'colour is not a member of this body'],
    ['{"target": "revenue", "target": "conversions"}', 'target is given more than once'],
  ])('%j is refused', async (body, reason) => {
    const faults = await shop.refusal(RUNS, body);
    expect(faults).toEqual([typeof reason === 'string' ? reason : expect.stringMatching(reason)]);
  });

  it('tells everything that is wrong at once', async () => {
    expect(await shop.refusal(RUNS, { target: 'x', from: 'x', to: 'x', seed: 'x' })).toHaveLength(4);
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['a list', '[]', 400, 'invalid_json'],
    ['text', '"revenue"', 400, 'invalid_json'],
    ['nothing', '', 400, 'invalid_json'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'invalid_json'],
    ['over 16 KiB', JSON.stringify({ target: 'x'.repeat(16_384) }), 413, 'body_too_large'],
  ])('%s is refused', async (_, body, status, code) => {
    expect(await shop.send(RUNS, body)).toMatchObject({ status, code });
  });

  it('takes gzip', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    expect((await shop.send(RUNS, gzipSync('{"target":"revenue"}'), { headers })).status).toBe(202);
    expect(await shop.send(RUNS, '{"target":"revenue"}', { headers })).toMatchObject({
      status: 400,
      code: 'invalid_encoding',
    });
  });

  it('takes JSON alone, and no query but the asset', async () => {
    const csv = await shop.send(RUNS, 'target\nrevenue\n', { headers: { 'Content-Type': 'text/csv' } });
    expect(csv).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect(await shop.refusal(`${RUNS}?target=revenue`, { target: 'revenue' })).toEqual([
      'target is not a parameter of this path',
    ]);
  });

  it('leaves nothing behind when it is refused', async () => {
    await shop.refusal(RUNS, { target: 'x' });
    expect(await events(shop.asset.assetId)).toEqual([]);
    expect((await shop.ask(RUNS)).body).toEqual({ items: [], next_cursor: null });
  });

  it('needs models:write, and reading models:read', async () => {
    const [reader, writer] = [await shop.tokenOf(['models:read']), await shop.tokenOf(['models:write'])];
    const runId = await shop.newRun();
    expect((await shop.send(RUNS, { target: 'revenue' }, { token: reader })).status).toBe(403);
    for (const path of [RUNS, `${RUNS}/${runId}`]) {
      expect((await shop.ask(path, { token: writer })).status).toBe(403);
      expect((await shop.ask(path, { token: reader })).status).toBe(200);
    }
    expect((await shop.send(RUNS, { target: 'revenue' }, { token: writer })).status).toBe(202);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = { headers: { 'Idempotency-Key': 'weekly-1' } };

  it('gives the same 202 for the same body, whatever has become of the run', async () => {
    const first = await shop.send(RUNS, { target: 'revenue' }, keyed);
    const { run_id: runId } = first.body as { run_id: string };
    await shop.setStatus('run', runId, 'failed');
    const again = await shop.send(RUNS, { target: 'revenue' }, keyed);
    expect([again.status, again.body, again.headers.get('location')]).toEqual([202, first.body, `${RUNS}/${runId}`]);
    expect(await events(shop.asset.assetId)).toHaveLength(1);
  });

  it('is 422 with another body, also after a refusal', async () => {
    await shop.send(RUNS, { target: 'revenue' }, keyed);
    expect(await shop.send(RUNS, { target: 'conversions' }, keyed)).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    const refused = { headers: { 'Idempotency-Key': 'weekly-2' } };
    const [first, again] = [
      await shop.send(RUNS, { target: 'x' }, refused),
      await shop.send(RUNS, { target: 'x' }, refused),
    ];
    expect([first.status, again.status]).toEqual([400, 400]);
    expect((again.body as Told).errors).toEqual((first.body as Told).errors);
    expect((await shop.send(RUNS, { target: 'revenue' }, refused)).status).toBe(422);
  });

  it('makes one run of requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.send(RUNS, { target: 'revenue' }, keyed)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => (body as { run_id: string }).run_id)).size).toBe(1);
    expect(((await shop.ask(RUNS)).body as Page<MixRunItem>).items).toHaveLength(1);
  });

  it('is of one asset and one path', async () => {
    await shop.send(RUNS, { target: 'revenue' }, keyed);
    const other = await ModelingClient.ofNewAsset(service);
    expect((await other.send(RUNS, { target: 'conversions' }, keyed)).status).toBe(202);
    expect((await shop.send('/api/v1/lift/tests', { name: 'x' }, keyed)).status).toBe(400);
  });

  it('must be of its form', async () => {
    const faults = await shop.refusal(RUNS, { target: 'revenue' }, { headers: { 'Idempotency-Key': 'with space' } });
    expect(faults).toEqual([expect.stringMatching(/^Idempotency-Key must be/)]);
  });
});

describe('a run', () => {
  it('that is queued has no numbers, and says when to come again', async () => {
    const runId = await shop.newRun({ target: 'revenue', seed: 5 });
    const { body, headers } = await shop.ask(`${RUNS}/${runId}?include=weeks,curves,diagnostics`);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({
      run_id: runId,
      target: 'revenue',
      status: 'queued',
      trigger: 'request',
      seed: 5,
      trust_tier: null,
      n_weeks: null,
      generated: null,
      finished_at: null,
      error: null,
      channels: [],
      weeks: [],
      curves: [],
    });
  });

  it('that succeeded has its channels, and the rest on request', async () => {
    const numbers = mixNumbers();
    const runId = await shop.fittedRun(numbers);
    const { body, headers } = await shop.ask(`${RUNS}/${runId}`);
    const { channels, weeks, curves, tests: _tests, diagnostics, ...summary } = numbers;
    expect(headers.get('retry-after')).toBeNull();
    expect(body).toMatchObject({ ...summary, status: 'succeeded', generated: '2026-04-01T06:07:08Z', channels });
    expect((body as { about: object }).about).toEqual({
      interval: expect.stringContaining('90 % credible'),
      identified: expect.stringContaining('reasons'),
      trust_tier: expect.stringContaining('insufficient'),
      not_known: expect.stringContaining('only a lift test can'),
    });
    for (const member of ['weeks', 'curves', 'diagnostics', 'tests']) expect(body).not.toHaveProperty(member);
    const all = (await shop.ask(`${RUNS}/${runId}?include=weeks,curves,diagnostics`)).body as MixRun;
    expect(all).toMatchObject({ weeks, curves, diagnostics });
    expect((await shop.ask(`${RUNS}/${runId}?include=weeks`)).body).toMatchObject({ weeks });
  });

  it.each([
    'include=',
    'include=weeks,',
    'include=days',
    'include=weeks&include=curves',
    'colour=red',
    'include=WEEKS',
  ])('with %s is refused', async (query) => {
    const runId = await shop.newRun();
    const answer = await shop.ask(`${RUNS}/${runId}?${query}`);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect((answer.body as Told).errors).toMatchObject([{ name: query.split('=')[0] }]);
  });

  it('that failed says why', async () => {
    const runId = await shop.newRun();
    const error = { code: 'not_enough_weeks', detail: 'There are not enough weeks.', have: 9, need: 12 };
    await service.dataSource.query(
      `UPDATE modeling.run SET status = 'failed', error_code = 'not_enough_weeks', error = $2, finished_at = now() WHERE run_id = $1`,
      [runId, error],
    );
    expect((await shop.ask(`${RUNS}/${runId}`)).body).toMatchObject({
      status: 'failed',
      error_code: 'not_enough_weeks',
      error,
    });
  });

  it('of another tenant does not exist, and one is found by its id alone', async () => {
    const runId = await shop.fittedRun();
    const other = await ModelingClient.ofNewAsset(service);
    for (const path of [`${RUNS}/${runId}`, `${RUNS}/${UNKNOWN}`, `${RUNS}/no-uuid`])
      expect(await other.ask(path)).toMatchObject({ status: 404, code: 'not_found' });
    const both = 'modeller of both';
    for (const { asset } of [shop, other]) await service.admin.addMember(asset.assetId, both, ['models:read']);
    const { token } = await service.admin.createToken(both);
    expect((await shop.ask(`${RUNS}/${runId}`, { token })).status).toBe(200);
    expect((await shop.ask(`${RUNS}/${runId}?asset_id=${other.asset.assetId}`, { token })).status).toBe(404);
    expect(await shop.ask(RUNS, { token })).toMatchObject({ status: 400, code: 'asset_required' });
  });

  it('without cost data has no spend, no returns and nothing that gives them back', async () => {
    const test = { test_id: UNKNOWN, channel: 'Google Ads', value: 2, se: 0.5, predicted: 2.2, z: 0.4 };
    const runId = await shop.fittedRun(mixNumbers({ tests: [test], calibrated_channels: ['Google Ads'] }));
    const path = `${RUNS}/${runId}?include=weeks,curves,diagnostics`;
    expect((await shop.ask(path)).body).toMatchObject({ tests: [test] });
    const token = await shop.tokenOf(['models:read'], ['cost_data']);
    const run = (await shop.ask(path, { token })).body as MixRun;
    expect(Object.keys(run.channels[0] ?? {}).sort()).toEqual([
      'channel',
      'contribution',
      'contribution_share',
      'contribution_share_hi',
      'contribution_share_lo',
      'family',
      'identified',
      'reasons',
    ]);
    expect(run).toMatchObject({ weeks: mixNumbers().weeks, diagnostics: mixNumbers().diagnostics });
    const told = JSON.stringify([run, (await shop.ask(RUNS, { token })).body]);
    expect(told).not.toMatch(/"(spend|roi|mroi|cpa|curves|tests)[^"]*":/);
    const raw = await shop.tokenOf(['models:read'], ['raw_data']);
    expect((await shop.ask(path, { token: raw })).body).toHaveProperty('curves');
  });
});

describe('the list of runs', () => {
  it('has the newest first, in pages', async () => {
    const ids = [await shop.newRun(), await shop.fittedRun(), await shop.newRun()].reverse();
    const page = async (query: string): Promise<Page<MixRunItem>> =>
      (await shop.ask(`${RUNS}?${query}`)).body as Page<MixRunItem>;
    const all = await page('');
    expect([all.items.map(({ run_id: id }) => id), all.next_cursor]).toEqual([ids, null]);
    expect(all.items[1]).toMatchObject({ status: 'succeeded', trust_tier: 'medium', n_channels: 2 });
    expect(all.items[0]).not.toHaveProperty('channels');
    const first = await page('limit=2');
    const second = await page(`limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(({ run_id: id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
    for (const query of ['limit=0', 'limit=201', 'cursor=x', 'target=revenue'])
      expect(await shop.ask(`${RUNS}?${query}`)).toMatchObject({ status: 400, code: 'invalid_parameter' });
  });
});
