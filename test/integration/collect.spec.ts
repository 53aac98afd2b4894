import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RawConnection } from '../fixtures/cost-import-client.js';
import {
  anEvent,
  COLLECT_PATH,
  collected,
  countedRecords,
  ndjson,
  post,
  statusOf,
  verdicts,
} from '../fixtures/collect-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const CAP = 8_388_608;
const EVENTS = `${COLLECT_PATH}/events`;
const GZIP = { 'Content-Encoding': 'gzip' };

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ SLOW_BODY_MS: '700' });
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

describe('lines', () => {
  it('are judged one by one, by their physical number, and a bad one does not stop the others', async () => {
    const good = JSON.stringify(anEvent());
    const body = [
      good,
      '',
      '{"event_id":',
      '[1]',
      'null',
      '   \t ',
      '"text"',
      JSON.stringify(anEvent({ event_type: '' })),
      JSON.stringify(anEvent({ event_time: '2026-02-30T00:00:00Z' })),
      JSON.stringify(anEvent({ page_path: '/'.repeat(2049) })),
      JSON.stringify(anEvent({ lt_channel: 'a\0b' })),
      good.replace('page_view', 'page\ud83dview'.replace('\ud83d', '\\ud83d')),
      `  ${good}  `,
      '{"event_id":"\0"}',
    ].join('\r\n');
    const report = await collected(service, asset, body);
    expect(report).toMatchObject({ accepted: 2, rejected: 10, ip_dropped: 0 });
    expect(verdicts(report)).toEqual([
      '3  invalid_json',
      '4  invalid_json',
      '5  invalid_json',
      '7  invalid_json',
      '8 event_type missing_field',
      '9 event_time invalid_value',
      '10 page_path field_too_long',
      '11 lt_channel invalid_value',
      '12 event_type invalid_value',
      '14  invalid_json',
    ]);
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 2 });
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ])('may end in %s, the last in nothing, behind a byte-order mark', async (_name, end) => {
    const body = `\ufeff${[1, 2, 3].map(() => JSON.stringify(anEvent())).join(end)}`;
    expect(await collected(service, asset, body)).toEqual({ accepted: 3, rejected: 0, ip_dropped: 0, errors: [] });
  });

  it('that are no UTF-8 cost only themselves', async () => {
    const broken = Buffer.from(JSON.stringify(anEvent({ page_host: 'caf\xe9' })), 'latin1');
    const report = await collected(
      service,
      asset,
      Buffer.concat([Buffer.from(ndjson([anEvent()])), broken, Buffer.from(`\n${ndjson([anEvent()])}`)]),
    );
    expect(report).toMatchObject({
      accepted: 2,
      errors: [{ line: 2, field: '', code: 'invalid_json', message: 'The line is not valid UTF-8.' }],
    });
  });

  it('say how many addresses were none', async () => {
    const body = ndjson([anEvent({ ip: '203.0.113.7' }), anEvent({ ip: 'unknown' }), anEvent({ ip: '' })]);
    expect(await collected(service, asset, body)).toMatchObject({ accepted: 3, ip_dropped: 1 });
  });

  it('that are far too long are refused like any other, without harm', async () => {
    const deep = `{"more":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    const long = JSON.stringify(anEvent({ more: 'x'.repeat(2_000_000) }));
    const wide = JSON.stringify(anEvent({ more: 'x'.repeat(900_000) }));
    const report = await collected(service, asset, `${deep}\n${long}\n${wide}\n${ndjson([anEvent()])}`);
    expect(report.accepted).toBe(2);
    expect(report.errors).toMatchObject([
      { line: 1, field: 'event_id', code: 'missing_field' },
      { line: 2, field: '', code: 'invalid_json', message: 'The line has more than 1048576 bytes.' },
    ]);
  });

  it('are named up to 1,000 when they are bad, and counted all', async () => {
    const report = await collected(service, asset, '{}\n'.repeat(1_500));
    expect(report).toMatchObject({ accepted: 0, rejected: 1_500 });
    expect(report.errors).toHaveLength(1_000);
    expect(report.errors.at(-1)).toMatchObject({ line: 1_000, field: 'event_id', code: 'missing_field' });
    expect(await countedRecords(service, asset)).toEqual({});
  });

  it('of consent and of identities have rules of their own', async () => {
    const consent = { consent_id: 'c-1', consent_at: '2001-01-01T00:00:00Z', action: 'accept', ip: 'x' };
    const consents = ndjson([consent, { ...consent, accepted: 'all' }, { ...consent, action: null }]);
    const first = await collected(service, asset, consents, { path: `${COLLECT_PATH}/consent` });
    expect(first).toMatchObject({ accepted: 1, ip_dropped: 1 });
    expect(verdicts(first)).toEqual(['2 accepted invalid_value', '3 action missing_field']);
    const people = ndjson([{ global_user_id: 'u-1', distinct_ids: ['v'] }, { email: 'a@example.com' }]);
    const second = await collected(service, asset, people, { path: `${COLLECT_PATH}/identities` });
    expect(verdicts(second)).toEqual(['2 global_user_id missing_field']);
    expect(await countedRecords(service, asset)).toEqual({ 'consent.recorded.v1': 1, 'users.identified.v1': 1 });
  });
});

describe('a body', () => {
  it('may be gzip', async () => {
    const body = gzipSync(ndjson([anEvent(), anEvent()]));
    expect(await collected(service, asset, body, { headers: GZIP })).toMatchObject({ accepted: 2 });
  });

  it('of exactly 8,388,608 bytes passes, one more is 413, inflated too', async () => {
    const start = ndjson([anEvent()]);
    const full = Buffer.concat([Buffer.from(start), Buffer.alloc(CAP - start.length, '\n')]);
    expect(await collected(service, asset, full)).toMatchObject({ accepted: 1, rejected: 0 });
    expect(await collected(service, asset, gzipSync(full), { headers: GZIP })).toMatchObject({ accepted: 1 });
    const over = Buffer.concat([full, Buffer.from('\n')]);
    for (const [body, headers] of [
      [over, {}],
      [gzipSync(over), GZIP],
    ] as const) {
      const { status, body: problem } = await post(service, asset, body, { headers });
      expect({ ...problem, status }).toMatchObject({ status: 413, code: 'body_too_large', max_bytes: CAP });
      expect(problem).not.toHaveProperty('async_url');
    }
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 2 });
    expect(await readdir(process.env['SPOOL_DIRECTORY']!)).toEqual([]);
  });

  it.each([
    ['no byte', ''],
    ['no byte in gzip', gzipSync('')],
    ['a byte-order mark', '\ufeff'],
    ['empty lines', '\n\r\n  \n\t\n'],
  ])('of %s is empty_file', async (_name, body) => {
    const headers: Record<string, string> = Buffer.isBuffer(body) ? GZIP : {};
    const answer = await post(service, asset, body, { headers });
    expect(answer).toMatchObject({ status: 400, body: { code: 'empty_file' } });
  });

  it('that is UTF-16 or no gzip is invalid_encoding', async () => {
    const utf16 = Buffer.from(`\ufeff${ndjson([anEvent()])}`, 'utf16le');
    expect(await post(service, asset, utf16)).toMatchObject({ status: 400, body: { code: 'invalid_encoding' } });
    expect(await post(service, asset, 'x', { headers: GZIP })).toMatchObject({
      status: 400,
      body: { code: 'invalid_encoding' },
    });
  });

  it.each(['application/x-ndjson; charset=utf-8', 'APPLICATION/X-NDJSON;charset="UTF-8"'])(
    'of the type %s is taken',
    async (type) => {
      const answer = await post(service, asset, ndjson([anEvent()]), { headers: { 'Content-Type': type } });
      expect(answer.status).toBe(202);
    },
  );

  it.each([
    [{ 'Content-Type': 'application/json' }, ['application/x-ndjson']],
    [{ 'Content-Type': 'text/csv' }, ['application/x-ndjson']],
    [{ 'Content-Type': 'application/x-ndjson; charset=iso-8859-1' }, ['application/x-ndjson']],
    [{ 'Content-Type': 'nonsense' }, ['application/x-ndjson']],
    [{ 'Content-Encoding': 'br' }, ['gzip', 'identity']],
  ])('with %j is 415 and told what is accepted', async (headers, accepted) => {
    const { status, body } = await post(service, asset, ndjson([anEvent()]), { headers });
    expect({ ...body, status }).toMatchObject({ status: 415, code: 'unsupported_media_type', accepted });
  });

  it('that does not come is 408', async () => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, { 'Content-Type': 'application/x-ndjson', 'Content-Length': '1000' }, EVENTS);
    connection.send('{"event');
    expect(await connection.answer()).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
    connection.close();
  });

  it('whose client goes away leaves nothing', async () => {
    const connection = await RawConnection.open(service);
    connection.sendHead(asset, { 'Content-Type': 'application/x-ndjson', 'Content-Length': '10000' }, EVENTS);
    connection.send(ndjson([anEvent()]));
    await sleep(100);
    connection.close();
    await sleep(200);
    expect(await countedRecords(service, asset)).toEqual({});
  });
});

describe('who may', () => {
  it('send: members with events:write, each into their own asset', async () => {
    const other = await service.newAsset();
    const body = ndjson([anEvent()]);
    const asOther = (token: string | null, assetId = asset.assetId): ReturnType<typeof post> =>
      post(service, asset, body, { token, path: `${EVENTS}?asset_id=${assetId}` });
    expect(await asOther(null)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await asOther(other.token)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await asOther(other.token, '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    const reader = await service.newToken(asset.assetId, ['events:read', 'reports:read', 'cost:write']);
    expect(await asOther(reader)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const collector = await service.newToken(asset.assetId, ['events:write']);
    expect(await asOther(collector)).toMatchObject({ status: 202 });
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 1 });
    expect(await countedRecords(service, other)).toEqual({});
  });

  it('look at the counts: members with events:write or events:read', async () => {
    const path = `${COLLECT_PATH}/status`;
    const status = async (token: string): Promise<number> =>
      (await post(service, asset, undefined, { method: 'GET', path, token })).status;
    expect(await status(await service.newToken(asset.assetId, ['events:write']))).toBe(200);
    expect(await status(await service.newToken(asset.assetId, ['events:read']))).toBe(200);
    expect(await status(await service.newToken(asset.assetId, ['reports:read']))).toBe(403);
  });
});

describe('the status', () => {
  it('is all zero at first', async () => {
    expect(await statusOf(service, asset)).toEqual({ accepted: 0, processed: 0, pending: 0, newest_event_time: null });
  });

  it('adds up all kinds, and what reporting has done', async () => {
    await service.dataSource.query(
      `INSERT INTO access.collected VALUES ($1, 'events.collected.v1', 10), ($1, 'consent.recorded.v1', 5)`,
      [asset.assetId],
    );
    await service.dataSource.query(
      `INSERT INTO reporting.processed (asset_id, topic, records, newest_event_time)
       VALUES ($1, 'events.collected.v1', 7, '2026-01-05 08:12:30.5+00'), ($1, 'users.identified.v1', 1, NULL)`,
      [asset.assetId],
    );
    expect(await statusOf(service, asset)).toEqual({
      accepted: 15,
      processed: 8,
      pending: 7,
      newest_event_time: '2026-01-05T08:12:30.500Z',
    });
  });

  it('has nothing pending when reporting was faster than the count', async () => {
    await service.dataSource.query(
      `INSERT INTO reporting.processed (asset_id, topic, records) VALUES ($1, 'events.collected.v1', 7)`,
      [asset.assetId],
    );
    expect(await statusOf(service, asset)).toMatchObject({ accepted: 0, processed: 7, pending: 0 });
  });
});
