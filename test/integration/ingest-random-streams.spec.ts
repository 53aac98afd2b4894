import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { Chance } from '../fixtures/event-streams.js';
import { arrivals, arrivalsOfTwo, newAsset, writer } from '../fixtures/ingest-steps.js';
import { reportNumbers } from '../fixtures/reporting-oracle.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

/** A zone, and a day before its clocks change or when its days are odd. */
const ZONES = [
  ['America/New_York', '2025-03-08T12:00:00Z'],
  ['America/New_York', '2025-11-01T12:00:00Z'],
  ['Europe/Berlin', '2025-03-29T12:00:00Z'],
  ['Asia/Kathmandu', '2025-06-30T12:00:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T00:00:00Z'],
  ['Pacific/Apia', '2024-12-31T00:00:00Z'],
  ['UTC', '2025-05-30T00:00:00Z'],
] as const;
/** Random streams a case; set it to look for rarer faults. */
const STREAMS = Number(process.env['STREAMS'] ?? 3);

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

describe.each(ZONES)('%s from %s', (timezone, from) => {
  it('counts random streams as the oracle does, however they are cut and mixed up', async () => {
    for (let seed = 1; seed <= STREAMS; seed++) {
      const chance = new Chance(seed);
      const options = {
        events: 20 + chance.below(140),
        visitors: 1 + chance.below(8),
        users: 4,
        from,
        naming: chance.one([0, 0.1, 0.5]),
      };
      const { events, identities, steps } = arrivals(chance, options, chance.below(6));
      const assetId = await newAsset(dataSource, timezone);
      for (const own of steps) await writer(dataSource, assetId, own);
      const expected = reportNumbers(events, identities, timezone);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
    }
  });

  it('counts the same with two writers whose visitors and persons overlap', async () => {
    for (let seed = 101; seed <= 100 + STREAMS; seed++) {
      const { events, identities, steps } = arrivalsOfTwo(
        new Chance(seed),
        { events: 150, visitors: 6, users: 3, from },
        4,
      );
      const assetId = await newAsset(dataSource, timezone);
      await Promise.all(steps.map((own) => writer(dataSource, assetId, own)));
      const expected = reportNumbers(events, identities, timezone);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
    }
  });
});
