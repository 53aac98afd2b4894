import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readMixFile } from '#apps/cli/src/modeling/mix-file.js';
import { run } from '#apps/cli/src/run.js';
import { addDays } from '#apps/mmm-lift/src/prepare/calendar.js';
import { prepareMix } from '#apps/mmm-lift/src/prepare/prepare-mix.js';
import { ModelDatabase } from '../fixtures/model-rows.js';

/** A Sunday. */
const FIRST = '2026-01-11';
const WEEKS = Array.from({ length: 24 }, (_, week) => addDays(FIRST, 7 * week));
/** Tracking was off in this one; the four before the first with an outcome only have costs. */
const MISSING = 9;
const BURN_IN = 4;

let database: ModelDatabase;
let folder: string;
beforeAll(async () => {
  database = await ModelDatabase.open();
  folder = mkdtempSync(join(tmpdir(), 'tallyport-agreement-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.stop();
});

it('the command line and the service make the same input of the same weeks', async () => {
  const asset = await database.newAsset();
  const isKnown = (week: number): boolean => week >= BURN_IN && week !== MISSING;
  const sales = (week: number): number => 40 + ((week * 7) % 13);
  const spend = {
    Google: (week: number) => 10.25 * (week % 4),
    adwords: () => 1.5,
    'Local radio': (week: number) => week,
  };
  const temperature = (week: number): number => 20 - 0.5 * week;

  const days = WEEKS.flatMap((day, week) => (isKnown(week) ? [{ day, value: sales(week), events: 100 }] : []));
  await asset.outcomes(days);
  await asset.costs(
    Object.entries(spend).flatMap(([channel, cost]) =>
      WEEKS.map((date, week) => ({ date, channel, cost: cost(week) })).filter(({ cost }) => cost > 0),
    ),
  );
  const controls = join(folder, 'controls.csv');
  writeFileSync(controls, ['week,temperature', ...WEEKS.map((day, week) => `${day},${temperature(week)}`)].join('\n'));
  const server = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
  const [{ name } = { name: '' }] = await database.dataSource.query<{ name: string }[]>(
    'SELECT current_database() AS name',
  );
  server.pathname = `/${name}`;
  const words = ['mmm', 'controls', 'load', controls, '--asset', asset.assetId];
  expect(await run(words, { DATABASE_URL: server.href })).toMatchObject({ code: 0, stderr: '' });

  const file = join(folder, 'weeks.csv');
  const rows = WEEKS.map((day, week) =>
    // A Monday is of the same week as the Sunday that follows.
    [
      addDays(day, -6),
      isKnown(week) ? sales(week) : '',
      ...Object.values(spend).map((cost) => cost(week)),
      temperature(week),
    ].join(','),
  );
  writeFileSync(file, [`day,conversions,${Object.keys(spend).join(',')},temperature`, ...rows].join('\n'));
  const read = await readMixFile(file, {
    date: 'day',
    target: 'conversions',
    channels: Object.keys(spend),
    controls: ['temperature'],
    liftTests: undefined,
    count: true,
    seed: 5,
  });

  const request = { assetId: asset.assetId, target: 'conversions', from: null, to: null, seed: 5 };
  const prepared = await prepareMix(asset.read, { ...request, now: new Date('2026-12-31T12:00:00Z') });
  expect(prepared.channels.map(({ before }) => before.length)).toEqual([BURN_IN, BURN_IN]);
  expect(prepared.y[MISSING - BURN_IN]).toBeNull();
  // Google has fewer rows than adwords, and its name comes first in a file; only names may differ.
  const unnamed = ({ channels, ...rest }: typeof read): unknown => ({
    ...rest,
    currency: null,
    channels: channels.map((channel) => ({ ...channel, name: '' })),
  });
  expect(unnamed(read)).toEqual(unnamed(prepared));
});
