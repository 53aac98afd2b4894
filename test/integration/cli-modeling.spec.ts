import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { run, type Outcome } from '#apps/cli/src/run.js';
import { LIFT_TEST_SCHEMAS } from '#apps/gateway/src/published/lift-test.schemas.js';
import { MIX_RUN_SCHEMAS } from '#apps/gateway/src/published/mix-run.schemas.js';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixRun } from '#contracts/modeling/mix-run.js';
import { createDataSource } from '#database/data-source.js';
import { modelingData } from '../support/modeling-data.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const NO_ASSET = '00000000-0000-7000-8000-000000000000';

let database: TestDatabase;
let dataSource: DataSource;
let folder: string;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 3 }).initialize();
  folder = mkdtempSync(join(tmpdir(), 'tallyport-cli-modeling-'));
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const tallyport = (...words: string[]): Promise<Outcome> => run(words, { DATABASE_URL: database.url });

function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** What a command that must succeed prints. */
async function text(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await tallyport(...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function json<T>(...words: string[]): Promise<T> {
  return JSON.parse(await text(...words, '--json')) as T;
}

/** The sentence of a command that can't be done. */
async function failure(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await tallyport(...words);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+[.!?]\n$/);
  return stderr.trim();
}

async function newAsset(): Promise<string> {
  const words = ['asset', 'create', '--name', 'Shop', '--timezone', 'UTC', '--currency', 'EUR'];
  return (await json<{ asset_id: string }>(...words)).asset_id;
}

/** 40 weeks in which the first channel explains most of the target, without random numbers. */
const SPEND = Array.from({ length: 40 }, (_, week) => [100 * ((week * 7) % 11), 50 * ((week * 5) % 8)] as const);
const TARGET = SPEND.map(([google, radio], week) => 2000 + 2 * google + 0.5 * radio + 40 * Math.sin(week * 1.7));
const MIX = [
  'week,sales,Google,Radio',
  ...SPEND.map(([google, radio], week) => {
    const day = new Date(Date.UTC(2025, 0, 5 + 7 * week)).toISOString().slice(0, 10);
    return `${day},${(TARGET[week] ?? 0).toFixed(2)},${google},${radio}`;
  }),
];
const MIX_WORDS = ['--date', 'week', '--target', 'sales', '--channels', 'Google,Radio'];

describe('mmm fit', () => {
  it('prints the run as JSON, the same for the same seed, whatever the order of rows and columns', async () => {
    const path = file('mix.csv', MIX);
    const [header = '', ...rows] = MIX;
    const shuffled = file('shuffled.csv', [header, ...rows.reverse()]);
    const first = await text('mmm', 'fit', path, ...MIX_WORDS, '--json');
    const words = ['--date', 'week', '--target', 'sales', '--channels', 'Radio,Google', '--json'];
    expect(await text('mmm', 'fit', shuffled, ...words)).toBe(first);
    const fitted = JSON.parse(first) as MixRun;
    expect(fitted).toMatchObject({
      run_id: null,
      target: 'sales',
      status: 'succeeded',
      generated: null,
      n_weeks: 40,
      n_channels: 2,
      window_from: '2024-12-30',
      window_to: '2025-10-05',
      interval: 0.9,
      seed: 1,
      error: null,
    });
    expect(fitted.channels.map(({ channel, family }) => [channel, family])).toEqual([
      ['Google', 'search'],
      ['Radio', 'radio'],
    ]);
    expect(Object.keys(fitted).sort()).toEqual(Object.keys(MIX_RUN_SCHEMAS['MixRun']?.properties ?? {}).sort());
    expect([fitted.weeks?.length, fitted.curves?.length, fitted.tests]).toEqual([40, 16, []]);
    expect(fitted.diagnostics?.channels).toHaveLength(2);
    const total = MIX.slice(1).reduce((sum, line) => sum + Number(line.split(',')[1]), 0);
    const media = fitted.channels.reduce((sum, { contribution }) => sum + (contribution ?? NaN), 0);
    expect((media + (fitted.baseline_share ?? NaN) * total) / total).toBeCloseTo(1, 10);
    for (const { roi, spend, contribution } of fitted.channels) {
      expect(((roi ?? NaN) * spend) / (contribution ?? NaN)).toBeCloseTo(1, 10);
    }
    const google = TARGET.map((_, week) => 2 * (SPEND[week]?.[0] ?? 0)).reduce((sum, value) => sum + value, 0);
    expect(Math.abs((fitted.channels[0]?.contribution ?? NaN) / google - 1)).toBeLessThan(0.25);
  }, 120_000);

  it('prints a summary and a table, with tests, of a count, and why a channel is not identified', async () => {
    const tests = join(folder, 'tests.json');
    writeFileSync(tests, '[{"channel": "google", "from": "2025-03-01", "to": "2025-04-01", "value": 2, "se": 0.2}]');
    const path = file('count.csv', MIX.slice(0, 22));
    const words = [...MIX_WORDS, '--lift-tests', tests, '--count', '--seed', '7'];
    const printed = await text('mmm', 'fit', path, ...words);
    const lines = printed.split('\n');
    expect(lines[0]).toMatch(/^title +Marketing mix model$/);
    expect(lines.find((line) => line.startsWith('calibrated_channels'))).toMatch(/ Google$/);
    expect(lines.find((line) => line.startsWith('trust_tier'))).toMatch(/ insufficient$/);
    expect(lines.find((line) => line.startsWith('seed '))).toMatch(/ 7$/);
    const header = lines.find((line) => line.startsWith('channel '));
    expect(header?.split(/ +/)).toEqual(
      'channel family identified contribution contribution_share roi roi_lo roi_hi mroi cpa'.split(' '),
    );
    expect(lines.find((line) => line.startsWith('Google '))?.split(/ +/)).toHaveLength(6);
    expect(printed).toMatch(/\nNot identified:\n {2}Google: .*short_window.*\n {2}Radio: .*short_window/);
  }, 120_000);

  it('says in a sentence why there are no numbers', async () => {
    const short = file('short.csv', MIX.slice(0, 10));
    expect(await failure('mmm', 'fit', short, ...MIX_WORDS, '--json')).toBe(
      'There are not enough weeks with both spend and outcome (have 8, need 12).',
    );
    const flat = file('flat.csv', [MIX[0] ?? '', ...MIX.slice(1).map((line) => line.replace(/,[\d.]+,/, ',7,'))]);
    expect(await failure('mmm', 'fit', flat, ...MIX_WORDS)).toBe(
      'The target never changes, so nothing can explain it.',
    );
    expect(await failure('mmm', 'fit', join(folder, 'none.csv'), ...MIX_WORDS)).toMatch(/^There is no file /);
  });

  const example = modelingData('pymc-marketing/mmm_example.csv');
  (example === undefined ? it.skip : it)(
    'finds the shares of public data with known truth',
    async () => {
      const words = ['--date', 'date_week', '--target', 'y', '--channels', 'x1,x2', '--controls', 'event_1,event_2'];
      const { channels } = await json<MixRun>('mmm', 'fit', example ?? '', ...words);
      for (const [index, truth, points] of [
        [0, 29.05, 3.5],
        [1, 6.97, 1],
      ] as const) {
        const channel = channels[index];
        expect(Math.abs(100 * (channel?.contribution_share ?? NaN) - truth)).toBeLessThan(points);
        expect(100 * (channel?.contribution_share_lo ?? NaN)).toBeLessThan(truth);
        expect(100 * (channel?.contribution_share_hi ?? NaN)).toBeGreaterThan(truth);
      }
    },
    120_000,
  );
});

describe('lift fit', () => {
  const DAYS = Array.from({ length: 60 }, (_, day) => ({
    date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    level: 100 + 10 * Math.sin(day / 9) + 5 * Math.sin((2 * Math.PI * day) / 7),
  }));
  const wide = ['day,shop,other', ...DAYS.map(({ date, level }, day) => {
    const noise = Math.sin(day * 2.3) + Math.cos(day * 5.1);
    return `${date},${(level + noise + (day >= 50 ? 20 : 0)).toFixed(2)},${(2 * level - Math.sin(day * 3.7)).toFixed(2)}`;
  })]; // prettier-ignore
  const words = ['--date', 'day', '--target', 'shop', '--control-columns', 'other'];
  const test = ['--test-from', '2026-02-20', '--test-to', '2026-03-01'];

  it('prints the test as JSON, the same for the same seed', async () => {
    const path = file('wide.csv', wide);
    const first = await text('lift', 'fit', path, ...words, ...test, '--json');
    expect(await text('lift', 'fit', path, ...words, ...test, '--json')).toBe(first);
    const fitted = JSON.parse(first) as LiftTest;
    expect(fitted).toMatchObject({
      test_id: null,
      name: 'wide.csv',
      metric: 'shop',
      status: 'succeeded',
      method: 'control_regression',
      pre_from: '2026-01-01',
      pre_to: '2026-02-19',
      test_from: '2026-02-20',
      test_to: '2026-03-01',
      n_days: 10,
      n_controls: 1,
      request: { control_metrics: ['other'], test_from: '2026-02-20', test_to: '2026-03-01' },
    });
    expect(Object.keys(fitted).sort()).toEqual(Object.keys(LIFT_TEST_SCHEMAS['LiftTest']?.properties ?? {}).sort());
    expect(fitted.lift_total).toBeGreaterThan(185);
    expect(fitted.lift_total).toBeLessThan(215);
    expect(fitted.p_value).toBeLessThan(0.1);
    expect(fitted.days).toHaveLength(60);
    expect(fitted.diagnostics?.missing_days).toEqual([]);
  }, 60_000);

  it('reads long and wide files alike, and prints a summary and a table', async () => {
    const long = ['place,when,value', ...wide.slice(1).flatMap((line) => {
      const [day, shop, other] = line.split(',');
      return [`shop,${day},${shop}`, `other,${day},${other}`];
    })]; // prettier-ignore
    const places = ['--date', 'when', '--target', 'value', '--place', 'place', '--treated', 'shop'];
    const rows = ['--test-from', '51', '--test-to', '60'];
    const printed = await text('lift', 'fit', file('long.csv', long), ...places, ...rows);
    const table = printed.slice(printed.indexOf('\n\n'));
    expect(printed).toMatch(/^title +Lift test\n/);
    expect(table).toMatch(/\nday +observed +counterfactual +cf_lo +cf_hi +lift +organic\n2026-01-01 /);
    expect((await text('lift', 'fit', file('wide.csv', wide), ...words, ...test)).endsWith(table)).toBe(true);
  }, 60_000);

  it('says in a sentence why there are no numbers', async () => {
    const flat = file('flat-lift.csv', ['day,shop,other', ...DAYS.map(({ date }, day) => `${date},5,${day}`)]);
    expect(await failure('lift', 'fit', flat, ...words, ...test)).toBe(
      'The treated series is constant or zero before the test.',
    );
  });
});

describe('mmm controls load', () => {
  it('stores weeks by their Sundays, and replaces what is known', async () => {
    const asset = await newAsset();
    const long = ['name,week_end,value', 'rain,2026-01-05,1.5', 'rain,2026-01-18,2', 'price,2026-01-18,-3e2'];
    expect(await json('mmm', 'controls', 'load', file('long-controls.csv', long), '--asset', asset)).toEqual({
      asset_id: asset,
      controls: [
        { name: 'price', weeks: 1, from: '2026-01-18', to: '2026-01-18' },
        { name: 'rain', weeks: 2, from: '2026-01-11', to: '2026-01-18' },
      ],
    });
    const wide = ['date;rain;sun', '2026-01-11;7;8', '2026-01-25;9;'];
    expect(await text('mmm', 'controls', 'load', file('wide-controls.csv', wide), '--asset', asset)).toMatch(
      /^CONTROL +WEEKS +FROM +TO\nrain +2 +2026-01-11 +2026-01-25\nsun +1 /,
    );
    const stored = await dataSource.query<unknown[]>(
      `SELECT name, week_end::text AS week, value FROM modeling.control WHERE asset_id = $1 ORDER BY 1, 2`,
      [asset],
    );
    expect(stored).toEqual([
      { name: 'price', week: '2026-01-18', value: -300 },
      { name: 'rain', week: '2026-01-11', value: 7 },
      { name: 'rain', week: '2026-01-18', value: 2 },
      { name: 'rain', week: '2026-01-25', value: 9 },
      { name: 'sun', week: '2026-01-11', value: 8 },
    ]);
  });

  it.each([
    ['an asset that is none', ['week,rain', '2026-01-04,1'], NO_ASSET, `There is no asset ${NO_ASSET}.`],
    ['a file without dates', ['name,value', 'rain,1'], NO_ASSET, 'has no column "week_end"'],
    [
      'a value that is none',
      ['week,rain', '2026-01-04,wet'],
      NO_ASSET,
      'line 2, column "rain": "wet" is not a number.',
    ],
    [
      'a value too few',
      ['name,week,value', 'rain,2026-01-04,'],
      NO_ASSET,
      'line 2, column "value": the value is empty.',
    ],
    ['no name', ['name,week,value', ',2026-01-04,1'], NO_ASSET, 'line 2, column "name": the name is empty.'],
    [
      'a week twice',
      ['week,rain', '2026-01-03,1', '2026-01-04,2'],
      NO_ASSET,
      'line 3, column "week": rain has a value for the week of 2026-01-04 already.',
    ],
    ['dates alone', ['week', '2026-01-03'], NO_ASSET, 'has no column but its dates.'],
  ])('refuses %s, and stores nothing', async (_, lines, asset, sentence) => {
    expect(await failure('mmm', 'controls', 'load', file('bad.csv', lines), '--asset', asset)).toContain(sentence);
    expect(await dataSource.query('SELECT FROM modeling.control WHERE asset_id = $1', [NO_ASSET])).toEqual([]);
  });
});

describe('fx load', () => {
  it('stores rates to the digit, and replaces what is known', async () => {
    const path = file('fx.csv', ['currency,day,rate', 'usd,2026-01-04,0.9123456789', 'GBP,2026-01-04,1.2']);
    expect(await json('fx', 'load', path)).toEqual({
      rates: [
        { currency: 'GBP', days: 1, from: '2026-01-04', to: '2026-01-04' },
        { currency: 'USD', days: 1, from: '2026-01-04', to: '2026-01-04' },
      ],
    });
    await text('fx', 'load', file('fx2.csv', ['date,rate,currency', '2026-01-04,1.3,GBP']));
    expect(await dataSource.query('SELECT currency, day::text, rate FROM modeling.fx_rate ORDER BY 1')).toEqual([
      { currency: 'GBP', day: '2026-01-04', rate: '1.3' },
      { currency: 'USD', day: '2026-01-04', rate: '0.9123456789' },
    ]);
  });

  it.each([
    ['no currency', 'euro,2026-01-04,1', 'line 2, column "currency": a currency has three letters such as EUR.'],
    ['no day', 'EUR,today,1', 'line 2, column "day": "today" is not a date such as 2026-03-01.'],
    ['no rate', 'EUR,2026-01-04,', 'line 2, column "rate": a rate is a number over 0.'],
    ['a rate of zero', 'EUR,2026-01-04,0', 'line 2, column "rate": a rate is a number over 0.'],
    [
      'a day twice',
      'EUR,2026-01-04,1\nEUR,2026-01-04,2',
      'line 3, column "day": EUR has a rate for 2026-01-04 already.',
    ],
  ])('refuses %s', async (_, line, sentence) => {
    expect(await failure('fx', 'load', file('bad-fx.csv', ['currency,day,rate', line]))).toContain(sentence);
    expect(await dataSource.query(`SELECT FROM modeling.fx_rate WHERE currency = 'EUR'`)).toEqual([]);
  });
});
