import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { EventIngest } from '#apps/reporting/src/ingest/event-ingest.js';
import { IdentityIngest } from '#apps/reporting/src/ingest/identity-ingest.js';
import { createDataSource } from '#database/data-source.js';
import {
  Chance,
  disturbed,
  pieces,
  randomEvents,
  randomIdentities,
  type SentEvent,
  type SentIdentity,
} from '../fixtures/event-streams.js';
import { reportNumbers } from '../fixtures/reporting-oracle.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

/** All streams lie before it. */
const NOW = new Date('2025-12-01T00:00:00Z');
const ZONES = [
  // The zone, and a day before its clocks change or its border is odd.
  ['America/New_York', '2025-03-08T12:00:00Z'],
  ['America/New_York', '2025-11-01T12:00:00Z'],
  ['Europe/Berlin', '2025-03-29T12:00:00Z'],
  ['Asia/Kathmandu', '2025-06-30T12:00:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T00:00:00Z'],
  ['Pacific/Apia', '2025-12-31T00:00:00Z'].map((text) => text.replace('2025-12-31', '2024-12-31')),
  ['UTC', '2025-05-30T00:00:00Z'],
] as [timezone: string, from: string][];
const STREAMS = Number(process.env['STREAMS'] ?? 12);

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

async function newAsset(timezone: string): Promise<string> {
  return (await new AccessAdmin(dataSource).createAsset('Shop', timezone, 'USD')).asset_id;
}

let messages = 0;

function message(records: readonly object[]): { id: string; source: string; records: unknown[] } {
  // As it comes from JSON: what is undefined is absent.
  return { id: `message-${messages++}`, source: '/test', records: JSON.parse(JSON.stringify(records)) as unknown[] };
}

type Step = { events: SentEvent[] } | { identities: SentIdentity[] };

/** Does its steps one after another, as a process does that has one partition. */
async function writer(assetId: string, steps: readonly Step[]): Promise<void> {
  const ingest = new EventIngest(dataSource);
  const identities = new IdentityIngest(dataSource);
  for (const step of steps) {
    if ('events' in step) await ingest.ingest(assetId, [message(step.events)], undefined, NOW);
    else await identities.ingest(assetId, [message(step.identities)], undefined, NOW);
  }
}

describe.each(ZONES)('%s from %s', (timezone, from) => {
  it('counts random streams as the oracle does, however they are cut and mixed up', async () => {
    for (let seed = 1; seed <= STREAMS; seed++) {
      const chance = new Chance(seed);
      const options = { events: 20 + chance.below(140), visitors: 1 + chance.below(8), users: 4, from, naming: chance.one([0, 0.1, 0.5]) };
      const events = randomEvents(chance, options);
      const identities = randomIdentities(chance, chance.below(6), options);
      const arriving = disturbed(chance, events, 10);
      const steps: Step[] = pieces(chance, arriving, chance.one([3, 20, 100])).map((piece) => ({ events: piece }));
      let place = 0;
      for (const identity of identities) {
        place += chance.below(steps.length - place + 1);
        steps.splice(place++, 0, { identities: [identity] });
      }
      const assetId = await newAsset(timezone);
      await writer(assetId, steps);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({
        seed,
        ...reportNumbers(arriving, identities, timezone),
      });
    }
  });

  it('counts the same with two writers whose visitors and persons overlap', async () => {
    for (let seed = 101; seed <= 100 + STREAMS; seed++) {
      const chance = new Chance(seed);
      const options = { events: 150, visitors: 6, users: 3, from };
      const events = randomEvents(chance, options);
      const identities = randomIdentities(chance, 4, options);
      const arriving = disturbed(chance, events, 20);
      const own: SentEvent[][] = [[], []];
      for (const event of arriving) own[chance.below(2)]?.push(event);
      const [one = [], other = []] = own.map((list): Step[] => pieces(chance, list, 15).map((piece) => ({ events: piece })));
      one.splice(chance.below(one.length), 0, ...identities.map((identity): Step => ({ identities: [identity] })));
      const assetId = await newAsset(timezone);
      await Promise.all([writer(assetId, one), writer(assetId, other)]);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({
        seed,
        ...reportNumbers(arriving, identities, timezone),
      });
    }
  });
});
