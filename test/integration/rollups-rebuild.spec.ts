import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { rebuildRollups, RebuildRunningError } from '#apps/reporting/src/rollups/rebuild-rollups.js';
import { run } from '#apps/cli/src/run.js';
import { createDataSource } from '#database/data-source.js';
import { Chance } from '../fixtures/event-streams.js';
import { arrivals, arrivalsOfTwo, newAsset, writer } from '../fixtures/ingest-steps.js';
import { reportNumbers, type ReportNumbers } from '../fixtures/reporting-oracle.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const TIMEZONE = 'America/New_York';
const FROM = '2025-03-08T12:00:00Z';
const STREAMS = Number(process.env['STREAMS'] ?? 4);

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 6 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** An asset with a random stream, and the numbers that it must have. */
async function filled(seed: number): Promise<{ assetId: string; expected: ReportNumbers }> {
  const { events, identities, steps } = arrivals(
    new Chance(seed),
    { events: 150, visitors: 6, users: 4, from: FROM },
    4,
  );
  const assetId = await newAsset(dataSource, TIMEZONE);
  for (const own of steps) await writer(dataSource, assetId, own);
  return { assetId, expected: reportNumbers(events, identities, TIMEZONE) };
}

async function versions(assetId: string): Promise<unknown> {
  const [state] = await dataSource.query<unknown[]>(
    `SELECT version, building,
            (SELECT count(*)::int FROM reporting.rebuild_log WHERE asset_id = $1) AS noted,
            ARRAY(SELECT DISTINCT version FROM (
              SELECT version FROM reporting.session_part WHERE asset_id = $1
              UNION ALL SELECT version FROM reporting.rollup_day WHERE asset_id = $1
              UNION ALL SELECT version FROM reporting.outcome_rollup WHERE asset_id = $1
              UNION ALL SELECT version FROM reporting.user_gap WHERE asset_id = $1) v ORDER BY 1) AS stored
       FROM reporting.asset_state WHERE asset_id = $1`,
    [assetId],
  );
  return state;
}

describe('a rebuild', () => {
  it('gives the numbers that the ingest gave, in a new version, and removes the old one', async () => {
    for (let seed = 1; seed <= STREAMS; seed++) {
      const { assetId, expected } = await filled(seed);
      const rebuilt = await rebuildRollups(dataSource, assetId);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
      expect(rebuilt).toMatchObject({ asset_id: assetId, version: 2 });
      expect(await versions(assetId)).toEqual({ version: 2, building: null, noted: 0, stored: [2] });
    }
  });

  it('corrects sums and sessions that are wrong', async () => {
    const { assetId, expected } = await filled(20);
    await dataSource.query('UPDATE reporting.rollup_day SET events = events + 7 WHERE asset_id = $1', [assetId]);
    await dataSource.query('DELETE FROM reporting.user_gap WHERE asset_id = $1', [assetId]);
    await dataSource.query('UPDATE reporting.outcome_rollup SET value = value + 1 WHERE asset_id = $1', [assetId]);
    await dataSource.query('UPDATE reporting.session_part SET pageviews = 99 WHERE asset_id = $1', [assetId]);
    await rebuildRollups(dataSource, assetId);
    expect(await storedNumbers(dataSource, assetId)).toEqual(expected);
  });

  it('leaves sessions behind that the ingest goes on with', async () => {
    for (let seed = 30; seed < 30 + STREAMS; seed++) {
      const { events, identities, steps } = arrivals(
        new Chance(seed),
        { events: 150, visitors: 4, users: 3, from: FROM },
        5,
      );
      const assetId = await newAsset(dataSource, TIMEZONE);
      for (const step of steps.flat()) {
        await writer(dataSource, assetId, [step]);
        if (seed % 2 === 0 || 'identities' in step) await rebuildRollups(dataSource, assetId);
      }
      const expected = reportNumbers(events, identities, TIMEZONE);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
    }
  });

  it('may go on while two writers do: theirs and its numbers are those of the oracle', async () => {
    let replayed = 0;
    for (let seed = 50; seed < 50 + STREAMS; seed++) {
      const { events, identities, steps } = arrivalsOfTwo(
        new Chance(seed),
        { events: 400, visitors: 8, users: 3, from: FROM },
        12,
      );
      const assetId = await newAsset(dataSource, TIMEZONE);
      const state = { done: false };
      const writers = Promise.all(steps.map((own) => writer(dataSource, assetId, own))).finally(
        () => (state.done = true),
      );
      while (!state.done) {
        replayed += await notedMeanwhile(assetId, rebuildRollups(dataSource, assetId));
      }
      await writers;
      const expected = reportNumbers(events, identities, TIMEZONE);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
      await rebuildRollups(dataSource, assetId);
      expect({ seed, ...(await storedNumbers(dataSource, assetId)) }).toEqual({ seed, ...expected });
    }
    // Else the writers were never under way at the right moment, and the test says nothing.
    expect(replayed).toBeGreaterThan(0);
  });

  it('makes visitors and persons of events that were loaded past the ingest', async () => {
    const { assetId, expected } = await filled(70);
    await dataSource.query(
      `DELETE FROM reporting.session_part WHERE asset_id = '${assetId}'; DELETE FROM reporting.rollup_day WHERE asset_id = '${assetId}';
       DELETE FROM reporting.user_gap WHERE asset_id = '${assetId}'`,
    );
    const other = await newAsset(dataSource, TIMEZONE);
    await dataSource.query(
      `INSERT INTO reporting.event SELECT (jsonb_populate_record(e, jsonb_build_object('asset_id', $2::text))).*
         FROM reporting.event e WHERE asset_id = $1`,
      [assetId, other],
    );
    await rebuildRollups(dataSource, other);
    const { rollups, outcomes } = await storedNumbers(dataSource, other);
    expect(rollups).toEqual(expected.rollups);
    expect(outcomes).toEqual(expected.outcomes);
  });

  it('takes two connections of the pool, no more', async () => {
    const small = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 2 }).initialize();
    try {
      const { assetId, expected } = await filled(80);
      await rebuildRollups(small, assetId);
      expect(await storedNumbers(dataSource, assetId)).toEqual(expected);
    } finally {
      await small.destroy();
    }
  });

  it('that died is forgotten by the next one', async () => {
    const { assetId, expected } = await filled(90);
    await dataSource.query('INSERT INTO reporting.asset_state (asset_id, building) VALUES ($1, 2)', [assetId]);
    await dataSource.query(
      `INSERT INTO reporting.rollup_day SELECT asset_id, 2, kind, day, dim_id, 5, 5, 5, 5 FROM reporting.rollup_day WHERE asset_id = $1`,
      [assetId],
    );
    await dataSource.query(
      `INSERT INTO reporting.rebuild_log (asset_id, entry) VALUES ($1, '{"visitors": [], "moves": []}')`,
      [assetId],
    );
    await rebuildRollups(dataSource, assetId);
    expect(await storedNumbers(dataSource, assetId)).toEqual(expected);
    expect(await versions(assetId)).toEqual({ version: 2, building: null, noted: 0, stored: [2] });
  });

  it('is refused while another one of the asset is under way, and nothing happens to that', async () => {
    const { assetId, expected } = await filled(100);
    const both = await Promise.allSettled([rebuildRollups(dataSource, assetId), rebuildRollups(dataSource, assetId)]);
    const refused = both.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([expect.any(RebuildRunningError)]);
    expect(await storedNumbers(dataSource, assetId)).toEqual(expected);
  });
});

/** The most changes that were seen waiting for the new version. */
async function notedMeanwhile(assetId: string, rebuilt: Promise<unknown>): Promise<number> {
  let most = 0;
  const state = { over: false };
  void rebuilt.finally(() => (state.over = true)).catch(() => undefined);
  while (!state.over) {
    const [row] = await dataSource.query<{ noted: number }[]>(
      'SELECT count(*)::int AS noted FROM reporting.rebuild_log WHERE asset_id = $1',
      [assetId],
    );
    most = Math.max(most, row?.noted ?? 0);
  }
  await rebuilt;
  return most;
}

describe('tallyport rollups rebuild', () => {
  it('rebuilds one asset, or all', async () => {
    const { assetId } = await filled(110);
    const env = { DATABASE_URL: database.url };
    const one = await run(['rollups', 'rebuild', '--asset', assetId, '--json'], env);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    const [events] = await dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM reporting.event WHERE asset_id = $1',
      [assetId],
    );
    expect(JSON.parse(one.stdout)).toEqual({
      rebuilt: [{ asset_id: assetId, version: 2, events: events?.count, sessions: expect.any(Number) }],
    });
    const all = await run(['rollups', 'rebuild'], env);
    expect(all.code).toBe(0);
    expect(all.stdout).toMatch(new RegExp(`${assetId} +3 +${events?.count} `));
  });

  it('says in one sentence what it can not do', async () => {
    const env = { DATABASE_URL: database.url };
    const unknown = '0193aaaa-0000-7000-8000-000000000000';
    expect(await run(['rollups', 'rebuild', '--asset', unknown], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no asset ${unknown}.\n`,
    });
    expect(await run(['rollups', 'rebuild', '--asset', 'shop'], env)).toMatchObject({
      code: 1,
      stderr: 'There is no asset shop.\n',
    });
  });
});
