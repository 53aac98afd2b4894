import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import csvParser from 'csv-parser';
import { collected, ndjson, statusOf } from '../fixtures/collect-client.js';
import { until } from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const naughty = createRequire(import.meta.url)('big-list-of-naughty-strings') as string[];
const STRINGS = [...new Set(naughty)].filter((text) => text !== '');
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const RANGE = 'from=2026-01-01&to=2026-01-31';
const EVENT_TEXTS = [
  'event_name', 'distinct_id', 'global_user_id', 'page_host', 'page_path', 'ft_channel', 'ft_source', 'lt_channel',
  'lt_channel_type', 'lt_source', 'lt_medium', 'lt_campaign', 'geo_country', 'geo_region', 'geo_city', 'ua_browser', 'ua_os',
]; // prettier-ignore

let service: TestService;
let asset: TestAsset;

/** Every string in every text column, one record each, an hour apart. */
beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
  const at = (index: number) => new Date(Date.UTC(2026, 0, 5) + index * 3_600_000).toISOString();
  const filled = (columns: readonly string[], text: string) => Object.fromEntries(columns.map((name) => [name, text]));
  const accepted = async (kind: string, records: object[]) => {
    const report = await collected(service, asset, ndjson(records), { path: `/api/v1/collect/${kind}` });
    expect(report).toEqual({ accepted: STRINGS.length, rejected: 0, ip_dropped: 0, errors: [] });
  };
  await accepted(
    'events',
    STRINGS.map((text, index) => ({
      event_id: `e-${index}`,
      event_time: at(index),
      event_type: text.length <= 64 ? text : 'custom',
      ...filled(EVENT_TEXTS, text),
    })),
  );
  await accepted(
    'identities',
    STRINGS.map((text) => ({ global_user_id: text, ...filled(['email', 'phone', 'crm_client_id'], text) })),
  );
  await accepted(
    'consent',
    STRINGS.map((text, index) => ({
      consent_id: text,
      consent_at: at(index),
      accepted: [text],
      rejected: [text],
      ...filled(['action', 'mode', 'revision', 'config_version', 'locale'], text),
    })),
  );
  await until(
    () => statusOf(service, asset),
    ({ pending }) => pending === 0,
  );
});

afterAll(async () => {
  await service.stop();
});

/** Data rows by column name, read by a parser that knows nothing of us. */
async function rowsOf(path: string): Promise<Record<string, string>[]> {
  const response = await fetch(`${service.baseUrl}/api/v1/${path}${path.includes('?') ? '&' : '?'}${RANGE}`, {
    headers: { Authorization: `Bearer ${asset.token}` },
  });
  expect(response.status).toBe(200);
  const text = (await response.text()).replace(/^\uFEFF/, '').replace(/^(#[^\n]*\n)+/, '');
  const records: string[][] = [];
  for await (const row of Readable.from([Buffer.from(text)]).pipe(csvParser({ headers: false })))
    records.push(Object.values(row as Record<string, string>));
  const [header = [], ...rows] = records;
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
}

function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function expectNoFormula(rows: Record<string, string>[]): void {
  for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(FORMULA);
}

it('raw events come back equal, in order', async () => {
  const rows = await rowsOf('events/raw?format=csv');
  expectNoFormula(rows);
  const columns = ['event_name', 'distinct_id', 'global_user_id', 'page_host', 'page_path', 'ft_channel', 'ft_source', 'lt_channel', 'geo_country', 'geo_region', 'geo_city', 'ua_browser', 'ua_os']; // prettier-ignore
  for (const column of columns) expect(rows.map((row) => row[column])).toEqual(STRINGS.map(guarded));
});

it.each([
  ['export/sources.csv', ['source', 'medium']],
  ['export/geo.csv', ['country', 'region', 'city']],
  ['export/tech.csv', ['browser', 'os']],
  ['export/channels', ['Channel', 'Channel Type', 'Source', 'Medium', 'Campaign']],
])('the values of %s come back equal', async (path, columns) => {
  const rows = (await rowsOf(path)).filter((row) => row['Channel'] !== 'Total' || row['Source'] !== '');
  expectNoFormula(rows);
  for (const column of columns) expect(rows.map((row) => row[column]).sort()).toEqual(STRINGS.map(guarded).sort());
});

it('channels that are one by name are one row, under a name that was sent', async () => {
  const rows = await rowsOf('export/channels.csv');
  expectNoFormula(rows);
  const known = new Set(STRINGS.map(guarded));
  expect(rows.filter(({ channel = '' }) => !known.has(channel))).toEqual([]);
  expect(rows.reduce((sum, { users }) => sum + Number(users), 0)).toBe(STRINGS.length);
});

it('users come back equal', async () => {
  const rows = await rowsOf('export/users.csv');
  expectNoFormula(rows);
  for (const column of ['global_user_id', 'email', 'phone', 'crm_client_id'])
    expect(rows.map((row) => row[column]).sort()).toEqual(STRINGS.map(guarded).sort());
});

it('consent records come back equal, newest first', async () => {
  const rows = await rowsOf('consent/export');
  expectNoFormula(rows);
  const columns = ['consent_id', 'action', 'accepted', 'rejected', 'mode', 'revision', 'config_version', 'locale'];
  for (const column of columns) expect(rows.map((row) => row[column])).toEqual(STRINGS.map(guarded).reverse());
});
