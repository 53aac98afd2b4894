import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { golden, reportingTables, type AssetRows, type ReportingTables } from '../fixtures/reporting-rows.js';

let tables: ReportingTables;
let asset: AssetRows;

const ASSET_ID = '0190f3c2-0000-7000-8000-00000000000a';
const UGLY = { name: 'Shop "Müller"\r\n=cmd, 🦊\u0085', timezone: 'Europe/Berlin', currency: 'EUR' };

beforeAll(async () => {
  tables = await reportingTables();
  asset = tables.assetOf(ASSET_ID);
  await asset.day(
    'campaign',
    ['Google', 'paid', 'google', 'cpc', 'Brand, "DE"'],
    '2026-03-01',
    { sessions: 3, pageviews: 7 },
    [{ users: 2 }],
  );
  await asset.day('campaign', ['Google', 'paid', 'google', 'cpc', ''], '2026-03-02', { sessions: 3, pageviews: 1 }, [
    { users: 3 },
  ]);
  await asset.day('campaign', ['', '', '', '', '=1'], '2026-03-31', { sessions: 4, pageviews: 4, conversions: 9 }, [
    { users: 1 },
  ]);
});
afterAll(() => tables.stop());

describe('the advanced channels file', () => {
  it('has a block of lines, a byte-order mark and a Total row', async () => {
    const file = await asset.file('channels-advanced', { asset: UGLY });
    expect(file.text).toBe(golden('channels-advanced.csv'));
    expect(file).toMatchObject({
      name: 'tallyport-channels-advanced-2026-03-01_2026-03-31.csv',
      rows: 3,
      limit: 5000,
      truncated: 0,
      formulasEscaped: 1,
      generated: '2026-04-01T06:07:08Z',
    });
  });

  it('goes without the mark when told so', async () => {
    const file = await asset.file('channels-advanced', { asset: UGLY, bom: false });
    expect(`\ufeff${file.text}`).toBe(golden('channels-advanced.csv'));
  });

  it('has the same as JSON', async () => {
    const file = await asset.file('channels-advanced', { asset: UGLY, format: 'json' });
    expect(file.text).toBe(golden('channels-advanced.json'));
    expect(JSON.parse(file.text)).toMatchObject({ totals: { users: 6, sessions: 10, pageviews: 12 } });
    expect(file).toMatchObject({
      name: 'tallyport-channels-advanced-2026-03-01_2026-03-31.json',
      rows: 3,
      formulasEscaped: 0,
      generated: '2026-04-01T06:07:08Z',
    });
  });

  it('has a Total row without data too', async () => {
    const empty = { from: '2025-03-01', to: '2025-03-01', serviceName: 'shop-counter' };
    const csv = await asset.file('channels-advanced', empty);
    expect(csv.text).toBe(golden('channels-advanced-empty.csv'));
    expect(csv).toMatchObject({ name: 'shop-counter-channels-advanced-2025-03-01_2025-03-01.csv', rows: 0 });
    const json = await asset.file('channels-advanced', { ...empty, format: 'json' });
    expect(json.text).toBe(golden('channels-advanced-empty.json'));
  });

  it.each(['csv', 'json'] as const)('is estimated with all that stands beside its rows, as %s', async (format) => {
    for (const more of [{}, { from: '2025-03-01', to: '2025-03-01' }]) {
      const parameters = { asset: UGLY, format, ...more };
      const file = await asset.file('channels-advanced', parameters);
      const { rows, bytesPerRow, bytesBeside = 0 } = await asset.estimate('channels-advanced', parameters);
      expect([rows, Math.round(bytesBeside + rows * bytesPerRow)]).toEqual([file.rows, Buffer.byteLength(file.text)]);
    }
  });

  it('sums the rows in the file, not those left out', async () => {
    const large = tables.newAsset();
    await tables.dataSource.query(
      `WITH d AS (
         INSERT INTO reporting.dimension (asset_id, kind, key_sha256, cells)
         SELECT $1, 5, sha256(n::text::bytea), ARRAY[n::text, '', '', '', ''] FROM generate_series(1, 5002) AS n RETURNING dim_id
       )
       INSERT INTO reporting.rollup_day SELECT $1, 1, 5, '2026-03-01', dim_id, 1, 2, 0, 3 FROM d`,
      [large.assetId],
    );
    const file = await large.file('channels-advanced');
    expect(file).toMatchObject({ rows: 5000, truncated: 2 });
    expect(file.text.endsWith('\nTotal,,,,,0,5000,10000\n')).toBe(true);
  });
});
