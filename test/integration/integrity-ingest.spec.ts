import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { NetworkKnowledge } from '#apps/integrity/src/networks/network-knowledge.js';
import { NetworksConfig } from '#apps/integrity/src/networks/networks.config.js';
import { createDataSource } from '#database/data-source.js';
import { Chance, disturbed, pieces, randomEvents } from '../fixtures/event-streams.js';
import { newAsset } from '../fixtures/ingest-steps.js';
import { expectedSessions, withTraffic, type SentTraffic } from '../fixtures/traffic-oracle.js';
import { storedSessions, trafficWriter } from '../fixtures/traffic-steps.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

/** A zone, and a day before its clocks change, or the end of a month. */
const ZONES = [
  ['America/New_York', '2025-03-08T12:00:00Z'],
  ['America/New_York', '2025-11-01T12:00:00Z'],
  ['Europe/Berlin', '2025-03-29T12:00:00Z'],
  ['Asia/Kathmandu', '2025-06-30T12:00:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T00:00:00Z'],
  ['UTC', '2025-05-30T00:00:00Z'],
] as const;
/** Random streams a case; set it to look for rarer faults. */
const STREAMS = Number(process.env['STREAMS'] ?? 3);

const networks = NetworkKnowledge.load(new NetworksConfig());
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

function stream(chance: Chance, from: string, events: number): SentTraffic[] {
  const options = { events, visitors: 1 + chance.below(6), users: 4, from, naming: chance.one([0, 0.1, 0.5]) };
  return withTraffic(chance, randomEvents(chance, options));
}

describe.each(ZONES)('%s from %s', (timezone, from) => {
  it('counts random streams as the oracle does, however they are cut and mixed up', async () => {
    for (let seed = 1; seed <= STREAMS; seed++) {
      const chance = new Chance(seed);
      const arriving = disturbed(chance, stream(chance, from, 20 + chance.below(140)), 10);
      const assetId = await newAsset(dataSource, timezone);
      await trafficWriter(dataSource, networks, assetId, pieces(chance, arriving, chance.one([3, 20, 100])));
      expect({ seed, sessions: await storedSessions(dataSource, networks, assetId) }).toEqual({
        seed,
        sessions: expectedSessions(arriving, timezone),
      });
    }
  });

  it('counts the same with two writers whose visitors overlap', async () => {
    for (let seed = 101; seed <= 100 + STREAMS; seed++) {
      const chance = new Chance(seed);
      const arriving = disturbed(chance, stream(chance, from, 150), 20);
      const own: SentTraffic[][] = [[], []];
      for (const event of arriving) own[chance.below(2)]?.push(event);
      const assetId = await newAsset(dataSource, timezone);
      await Promise.all(own.map((list) => trafficWriter(dataSource, networks, assetId, pieces(chance, list, 15))));
      expect({ seed, sessions: await storedSessions(dataSource, networks, assetId) }).toEqual({
        seed,
        sessions: expectedSessions(arriving, timezone),
      });
    }
  });
});
