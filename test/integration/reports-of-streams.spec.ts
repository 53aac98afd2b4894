import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { EventIngest } from '#apps/reporting/src/ingest/event-ingest.js';
import { IdentityIngest } from '#apps/reporting/src/ingest/identity-ingest.js';
import { readCsv } from '#csv/read-csv.js';
import { Chance, randomEvents, randomIdentities, type SentEvent } from '../fixtures/event-streams.js';
import { ReportOracle } from '../fixtures/report-oracle.js';
import { reportNumbers } from '../fixtures/reporting-oracle.js';
import { reportingTables, type AssetRows, type ReportingTables } from '../fixtures/reporting-rows.js';

const NOW = new Date('2025-12-01T00:00:00Z');

let tables: ReportingTables;
beforeAll(async () => {
  tables = await reportingTables();
});
afterAll(() => tables.stop());

async function rowsOf(text: string): Promise<string[][]> {
  const records: string[][] = [];
  for await (const batch of readCsv(Readable.from([Buffer.from(text)])))
    records.push(...batch.records.map(({ cells }) => [...cells]));
  return records.slice(1);
}

async function ingested(assetId: string, events: readonly SentEvent[], identities: readonly object[]): Promise<void> {
  const message = (records: readonly object[]) => ({
    id: `${assetId}-${records.length}`,
    source: '/test',
    records: JSON.parse(JSON.stringify(records)) as unknown[],
  });
  await new EventIngest(tables.dataSource).ingest(assetId, [message(events)], undefined, NOW);
  await new IdentityIngest(tables.dataSource).ingest(assetId, [message(identities)], undefined, NOW);
}

describe.each([
  ['Europe/Berlin', '2025-03-28T12:00:00Z', '2025-03-29', '2025-03-31'],
  ['Atlantic/Azores', '2025-10-25T00:00:00Z', '2025-10-26', '2025-10-27'],
  ['America/New_York', '2025-11-01T00:00:00Z', '2025-11-01', '2025-11-02'],
  ['UTC', '2025-05-30T00:00:00Z', '2025-05-31', '2025-06-02'],
])('in %s from %s', (timezone, start, from, to) => {
  it('every file says what its events say', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const chance = new Chance(seed);
      const options = { events: 250, visitors: 12, users: 4, from: start };
      const events = randomEvents(chance, options);
      const identities = randomIdentities(chance, 5, options);
      const { asset_id: assetId } = await new AccessAdmin(tables.dataSource).createAsset('Shop', timezone, 'USD');
      await ingested(assetId, events, identities);
      const { persons } = reportNumbers(events, identities, timezone);
      const oracle = new ReportOracle(events, persons, timezone, from, to);
      const asset: AssetRows = tables.assetOf(assetId);
      const range = { from, to, asset: { name: 'Shop', timezone, currency: 'USD' } };
      const file = async (...[name]: Parameters<AssetRows['file']>) => rowsOf((await asset.file(name, range)).text);

      const all = ['users', 'sessions', 'pageviews', 'conversions'] as const;
      expect({ seed, rows: await file('sources') }).toEqual({
        seed,
        rows: oracle.report(({ lt_source = '', lt_medium = '' }) => [lt_source, lt_medium], all),
      });
      expect(await file('geo')).toEqual(
        oracle.report(
          ({ geo_country = '', geo_region = '', geo_city = '' }) => [geo_country, geo_region, geo_city],
          all,
        ),
      );
      expect(await file('tech')).toEqual(oracle.report(({ ua_browser = '', ua_os = '' }) => [ua_browser, ua_os], all));
      const advanced = oracle.report(
        ({ lt_channel = '', lt_channel_type = '', lt_source = '', lt_medium = '', lt_campaign = '' }) => [
          lt_channel,
          lt_channel_type,
          lt_source,
          lt_medium,
          lt_campaign,
        ],
        ['users', 'sessions', 'pageviews'],
      );
      expect((await file('channels-advanced')).slice(0, -1)).toEqual(advanced);
      expect((await file('channels')).map((row) => row.slice(0, 6))).toEqual(oracle.channels());
      const overview = await file('overview');
      expect(overview).toEqual(oracle.overview());

      const raw = await file('raw-events');
      expect(raw.map((row) => [row[0], row[3]])).toEqual(oracle.raw());
      expect(overview.reduce((sum, row) => sum + Number(row[5]), 0)).toBe(raw.length);

      const users = oracle.users();
      const recorded = new Set(
        identities.filter((one) => one.first_seen_at !== undefined).map((one) => one.global_user_id),
      );
      const listed = await file('users');
      expect(listed.map(([id]) => id).sort()).toEqual([...users.keys()].sort());
      for (const [id, , , , firstSeen] of listed)
        if (!recorded.has(id!)) expect([id, firstSeen]).toEqual([id, users.get(id!)]);
    }
  });
});
