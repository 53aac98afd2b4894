import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { addOutcomes } from '#apps/reporting/src/ingest/outcome-table.js';
import type { Outcome } from '#apps/reporting/src/ingest/outcomes.js';
import { OutcomeStage } from '#apps/reporting/src/rollups/outcome-stage.js';
import { rebuildRollups } from '#apps/reporting/src/rollups/rebuild-rollups.js';
import { createDataSource } from '#database/data-source.js';
import type { SentEvent } from '../fixtures/event-streams.js';
import { writer } from '../fixtures/ingest-steps.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let dataSource: DataSource;
let assetId: string;
let ids = 0;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 3 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

beforeEach(async () => {
  ({ asset_id: assetId } = await new AccessAdmin(dataSource).createAsset('Shop', 'America/New_York', 'EUR'));
});

function event(time: string, fields: Partial<SentEvent> = {}): SentEvent {
  return {
    event_id: `event-${ids++}`,
    event_time: `2026-03-03T${time}:00Z`,
    event_type: 'page_view',
    distinct_id: 'visitor',
    ...fields,
  };
}

/** In batches of their own. */
async function take(...events: SentEvent[]): Promise<void> {
  await writer(
    dataSource,
    assetId,
    events.map((one) => ({ events: [one] })),
  );
}

/** `day place target currency: value (organic) events` */
async function outcomes(): Promise<string[]> {
  const rows = await dataSource.query<{ line: string }[]>(
    `SELECT concat_ws(' ', day, concat_ws('/', country, region, city), target, coalesce(currency, '-'), trim_scale(value),
                      '(' || trim_scale(organic_value) || ')', events) AS line
       FROM reporting.outcome_day WHERE asset_id = $1 ORDER BY day, country, region, city, target, currency`,
    [assetId],
  );
  return rows.map(({ line }) => line);
}

/** What ingest gave is what a rebuild gives. */
async function outcomesAlsoRebuilt(): Promise<string[]> {
  const ingested = await outcomes();
  await rebuildRollups(dataSource, assetId);
  expect(await outcomes()).toEqual(ingested);
  return ingested;
}

const BERLIN = { geo_country: 'DE', geo_region: 'BE', geo_city: 'Berlin' };
const PARIS = { geo_country: 'FR' };

describe('an outcome', () => {
  it('stands under the day, place and last touch of its own event, whatever session that is in', async () => {
    // Midnight in New York is 05:00 UTC; one session.
    await take(
      event('04:50', { ...BERLIN, lt_channel_type: 'organic_search' }),
      event('05:05', { ...PARIS, lt_channel_type: 'paid_search', event_type: 'conversion', value: '20' }),
      event('05:10', { ...BERLIN, lt_channel: 'Direct', event_type: 'conversion', value: '-5.5' }),
    );
    expect(await outcomesAlsoRebuilt()).toEqual([
      '2026-03-02 DE/BE/Berlin conversions - 0 (0) 1',
      '2026-03-03 DE/BE/Berlin conversions - 1 (1) 1',
      '2026-03-03 DE/BE/Berlin revenue EUR -5.5 (-5.5) 0',
      '2026-03-03 FR// conversions - 1 (0) 1',
      '2026-03-03 FR// revenue EUR 20 (0) 0',
    ]);
  });

  it('stays where it is when a late event merges sessions', async () => {
    const sale = { event_type: 'conversion', event_name: 'sale' };
    await take(event('12:00', BERLIN), event('12:40', { ...PARIS, ...sale }));
    const before = await outcomes();
    await take(event('12:20', { geo_country: 'IT' }));
    const added = '2026-03-03 IT// conversions - 0 (0) 1';
    expect(await outcomesAlsoRebuilt()).toEqual([...before, added]);
    expect(before).toContain('2026-03-03 FR// goal:sale - 1 (0) 0');
  });

  it('counts each event once, however often and in how many batches it comes', async () => {
    const sale = event('12:00', { event_type: 'conversion', event_name: 'sale', value: '9.99', currency: 'usd' });
    await take(sale, sale);
    await writer(dataSource, assetId, [{ events: [sale, event('12:01'), sale] }]);
    expect(await outcomesAlsoRebuilt()).toEqual([
      '2026-03-03 // conversions - 1 (0) 2',
      '2026-03-03 // goal:sale - 1 (0) 0',
      '2026-03-03 // revenue USD 9.99 (0) 0',
    ]);
  });

  it('is kept by currency; a value without one is in that of the asset', async () => {
    await take(
      event('12:00', { value: '1' }),
      event('12:00', { value: '2', currency: 'EUR' }),
      event('12:00', { value: '4', currency: 'USD' }),
      event('12:00', { value: '-3' }),
    );
    expect(await outcomesAlsoRebuilt()).toEqual([
      '2026-03-03 // conversions - 0 (0) 4',
      '2026-03-03 // revenue EUR 0 (0) 0',
      '2026-03-03 // revenue USD 4 (0) 0',
    ]);
  });

  it('is of one asset', async () => {
    await take(event('12:00'));
    const other = await new AccessAdmin(dataSource).createAsset('Other', 'UTC', 'USD');
    expect(await outcomes()).toHaveLength(1);
    assetId = other.asset_id;
    expect(await outcomes()).toEqual([]);
  });
});

it('sums of a rebuild that become too many wait and are put together', async () => {
  const fields = { event_type: 'click', event_name: 'a\tb\\', lt_channel: null, lt_channel_type: 'direct' };
  const place = { geo_country: 'DE', geo_region: null, geo_city: 'K\\öln' };
  await onConnection(async (client) => {
    await client.query('BEGIN');
    const stage = new OutcomeStage(client, 'EUR', 2);
    for (let number = 0; number < 5; number++) {
      stage.add({ ...fields, ...place, value: '0.1', currency: null }, 20_515, [0, 1, 2, 3, 4, 5, 6]);
      await stage.makeRoom();
    }
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int FROM pg_temp.outcome_stage');
    expect(rows).toEqual([{ count: 15 }]);
    await stage.write(assetId, 1);
    await client.query('COMMIT');
  });
  expect(await outcomes()).toEqual([
    '2026-03-03 DE//K\\öln conversions - 0 (0) 5',
    '2026-03-03 DE//K\\öln goal:a\tb\\ - 5 (5) 0',
    '2026-03-03 DE//K\\öln revenue EUR 0.5 (0.5) 0',
  ]);
});

it('one target of years is read by the index, of an asset without statistics too', async () => {
  const row = { currency: '', country: '', region: '', city: '', value: '1', organic: '0', events: 1 };
  const rows = Array.from({ length: 4_000 }, (_, number): Outcome => ({
    ...row,
    target: number % 2 === 0 ? 'conversions' : 'goal:a',
    day: 18_000 + (number >> 1),
    place: 1,
  }));
  await onConnection((client) => addOutcomes(client, assetId, 1, rows));
  const scan = await planOf(`SELECT day, sum(value) FROM reporting.outcome_day
    WHERE asset_id = '${assetId}' AND target = 'conversions' AND day < date '1970-01-01' + 18100 GROUP BY day`);
  expect(scan).toMatch(/Index Scan using outcome_rollup_pkey .* \(actual .*rows=100\b/);
  const any = await planOf(
    `SELECT 1 FROM reporting.outcome_day WHERE asset_id = '${assetId}' AND target = 'revenue' LIMIT 1`,
  );
  expect(any).toMatch(/using outcome_rollup_pkey .* \(actual .*rows=0\b/);
  expect(any).not.toContain('Rows Removed');
});

async function planOf(sql: string): Promise<string> {
  const lines = await dataSource.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

async function onConnection(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await work((await runner.connect()) as PoolClient);
  } finally {
    await runner.release();
  }
}
