import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { golden, reportingTables, type AssetRows, type ReportingTables } from '../fixtures/reporting-rows.js';

let tables: ReportingTables;
let asset: AssetRows;

beforeAll(async () => {
  tables = await reportingTables();
  asset = tables.assetOf('0190f3c2-0000-7000-8000-00000000000c');
  const record = (consent_id: string, consent_at: string, more: Record<string, unknown> = {}) =>
    asset.insert('consent', {
      consent_id,
      consent_at,
      action: 'accept_all',
      accepted: ['necessary', 'marketing'],
      rejected: [],
      distinct_id: 'visitor',
      ip_hmac: Buffer.from('secret'),
      ...more,
    });
  await record('b', '2026-03-15T12:00:00.9Z', {
    mode: 'opt-in',
    revision: '7',
    config_version: '2.1',
    locale: 'de-DE',
  });
  await record('a', '2026-03-15T12:00:00.9Z', { accepted: [], rejected: ['analytics', 'ads'], action: '=reject' });
  await record('+c', '2026-03-15T12:00:01Z', { accepted: ['=x', 'y,z'] });
  // Berlin: 1 March is from 23:00 of the day before, 31 March ends at 22:00, in summer time.
  await record('first', '2026-02-28T23:00:00Z', { accepted: ['"q"'], locale: 'a\nb' });
  await record('before', '2026-02-28T22:59:59.999Z');
  await record('last', '2026-03-31T21:59:59.999Z');
  await record('after', '2026-03-31T22:00:00Z');
});
afterAll(() => tables.stop());

const BERLIN = { asset: { name: 'Test\tShop', timezone: 'Europe/Berlin', currency: 'EUR' } };

describe('consent records', () => {
  it('are those of the local days, newest first, without the address', async () => {
    const file = await asset.file('consent-records', BERLIN);
    expect(file.text).toBe(golden('consent-records.csv'));
    expect(file).toMatchObject({
      name: 'consent-records.csv',
      rows: 5,
      limit: 50_000,
      truncated: 0,
      formulasEscaped: 3,
    });
    expect(file).not.toHaveProperty('generated');
  });

  it('have lists in JSON', async () => {
    const file = await asset.file('consent-records', { ...BERLIN, format: 'json' });
    expect(file.text).toBe(golden('consent-records.json'));
    expect(JSON.parse(file.text)).toHaveProperty('records');
    expect(file).toMatchObject({ name: 'consent-records.json', rows: 5, generated: '2026-04-01T06:07:08Z' });
    const empty = await asset.file('consent-records', { from: '2025-01-01', to: '2025-01-01', format: 'json' });
    expect(JSON.parse(empty.text)).toMatchObject({
      metadata: { title: 'Tallyport consent records export' },
      records: [],
    });
  });

  it('are the newest 50,000', async () => {
    const large = tables.newAsset();
    await tables.dataSource.query(
      `INSERT INTO reporting.consent (asset_id, consent_id, consent_at, action, accepted, rejected)
       SELECT $1, 'c' || n, timestamptz '2026-03-02Z' + n * interval '1 second', 'accept', '{a}', '{}' FROM generate_series(1, 50003) AS n`,
      [large.assetId],
    );
    const file = await large.file('consent-records');
    expect(file).toMatchObject({ rows: 50_000, truncated: 3 });
    expect(file.text.split('\n')[1]).toMatch(/^c50003,/);
    expect(file.text.split('\n')[50_000]).toMatch(/^c4,/);
    expect(await large.estimate('consent-records')).toMatchObject({ rows: 50_003, limit: 50_000 });
  });
});
