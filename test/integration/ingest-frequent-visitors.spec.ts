import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { MOST_PARTS_READ } from '#apps/reporting/src/ingest/frequent-persons.js';
import { rebuildRollups } from '#apps/reporting/src/rollups/rebuild-rollups.js';
import { createDataSource } from '#database/data-source.js';
import { Chance, pieces, randomEvents, type SentEvent } from '../fixtures/event-streams.js';
import { newAsset, writer, type Step } from '../fixtures/ingest-steps.js';
import { reportNumbers } from '../fixtures/reporting-oracle.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const TIMEZONE = 'Europe/Berlin';
const FROM = '2024-03-29T12:00:00Z';
const MINUTE_MS = 60_000;

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 4 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** One visitor, an event every `minutes`. */
function bot(count: number, minutes: number, of: (number: number) => Partial<SentEvent> = () => ({})): SentEvent[] {
  return Array.from({ length: count }, (_, number) => ({
    event_id: `bot-${number}`,
    event_time: new Date(Date.parse(FROM) + number * minutes * MINUTE_MS).toISOString(),
    event_type: 'page_view',
    distinct_id: 'bot',
    ...of(number),
  }));
}

function inBatches(events: readonly SentEvent[], size: number): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < events.length; at += size) steps.push({ events: events.slice(at, at + size) });
  return steps;
}

async function frequentPersons(assetId: string): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM reporting.frequent_person WHERE asset_id = $1',
    [assetId],
  );
  return row?.count ?? 0;
}

/** Index entries of a table that were read by anybody so far. */
async function entriesRead(table: string): Promise<number> {
  // Statistics of a connection are flushed with its next transaction at the latest.
  await dataSource.query('SELECT pg_stat_force_next_flush()');
  const [row] = await dataSource.query<{ read: string }[]>(
    'SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relid = to_regclass($1)',
    [`reporting.${table}`],
  );
  return Number(row?.read);
}

describe('a visitor with very many sessions', () => {
  it('is counted as the oracle counts, before and after there are too many to be read, and after a rebuild', async () => {
    for (const seed of [1, 2]) {
      const chance = new Chance(seed);
      const options = { events: 4_500, visitors: 2, users: 2, from: FROM, naming: 0.002 };
      const events = chance.shuffle(randomEvents(chance, options));
      const assetId = await newAsset(dataSource, TIMEZONE);
      const steps = pieces(chance, events, 900).map((piece): Step => ({ events: piece }));
      const half = Math.ceil(steps.length / 2);
      await writer(dataSource, assetId, steps.slice(0, half));
      if (seed === 2) await rebuildRollups(dataSource, assetId);
      await writer(dataSource, assetId, steps.slice(half));
      expect(await frequentPersons(assetId)).toBeGreaterThan(0);
      const expected = reportNumbers(events, [], TIMEZONE);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
      await rebuildRollups(dataSource, assetId);
      expect(await frequentPersons(assetId)).toBeGreaterThan(0);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
    }
  });

  it('takes all sessions along to the person that a late event names', async () => {
    const events = bot(MOST_PARTS_READ + 200, 31, (number) => ({ geo_city: `City ${number % 7}` }));
    const [first] = events;
    const login = { ...first!, event_id: 'login', event_time: '2024-03-28T00:00:00Z', global_user_id: 'ann' };
    const assetId = await newAsset(dataSource, TIMEZONE);
    await writer(dataSource, assetId, [...inBatches(events, 300), { events: [login] }]);
    expect(await storedNumbers(dataSource, assetId)).toEqual(reportNumbers([...events, login], [], TIMEZONE));
  });

  it('costs no more with 20,000 sessions than with few', async () => {
    const events = bot(20_000, 31, (number) => ({ geo_city: `City ${number % 500}` }));
    const assetId = await newAsset(dataSource, TIMEZONE);
    await writer(dataSource, assetId, inBatches(events.slice(0, -20), 5_000));
    const parts = await entriesRead('session_part');
    const days = await entriesRead('frequent_person_day');
    for (const event of events.slice(-20)) await writer(dataSource, assetId, [{ events: [event] }]);
    expect((await entriesRead('session_part')) - parts).toBeLessThan(20 * 50);
    // The days of 14 months, in each of three dimension values that all its sessions share, and of one city.
    expect((await entriesRead('frequent_person_day')) - days).toBeLessThan(20 * 5 * 450);
    expect((await storedNumbers(dataSource, assetId)).rollups).toEqual(reportNumbers(events, [], TIMEZONE).rollups);
  });
});

describe('a visitor whose session never ends', () => {
  it('has parts of all persons that it names, of which a batch reads only those it changes', async () => {
    const events = bot(6_000, 20, (number) => ({ global_user_id: `user-${number % 1_500}` }));
    const assetId = await newAsset(dataSource, TIMEZONE);
    await writer(dataSource, assetId, inBatches(events.slice(0, -20), 1_000));
    const parts = await entriesRead('session_part');
    for (const event of events.slice(-20)) await writer(dataSource, assetId, [{ events: [event] }]);
    expect((await entriesRead('session_part')) - parts).toBeLessThan(20 * 150);
    expect(await storedNumbers(dataSource, assetId)).toEqual(reportNumbers(events, [], TIMEZONE));
  });
});
