import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { MixInput } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { readMixFile, type MixFileOptions } from './mix-file.js';

const folder = mkdtempSync(join(tmpdir(), 'tallyport-mix-file-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const OPTIONS: MixFileOptions = {
  date: 'week',
  target: 'y',
  channels: ['tv', 'Google'],
  controls: [],
  liftTests: undefined,
  count: false,
  seed: 1,
};

function read(lines: readonly string[], options: Partial<MixFileOptions> = {}, tests?: unknown): Promise<MixInput> {
  const file = join(folder, 'mix.csv');
  writeFileSync(file, lines.join('\n'));
  if (tests === undefined) return readMixFile(file, { ...OPTIONS, ...options });
  const liftTests = join(folder, 'tests.json');
  writeFileSync(liftTests, typeof tests === 'string' ? tests : JSON.stringify(tests));
  return readMixFile(file, { ...OPTIONS, ...options, liftTests });
}

const HEADER = 'week,y,tv,Google,rain';
/** 2026-01-04 is a Sunday. */
const PLAIN = [HEADER, '2026-01-04,10,1,0,5', '2026-01-11,20,2,7,6', '2026-01-18,30,3,0,7'];

describe('the weeks of a file', () => {
  it('are named by their Sundays, whatever the order of rows and the weekday of their dates', async () => {
    const input = await read([HEADER, '2026-01-18,30,3,0,7', '2025-12-29,10,1,0,5', '2026-01-07T08:00:00Z,20,2,7,6']);
    expect(input.weeks).toEqual(['2026-01-04', '2026-01-11', '2026-01-18']);
    expect(input.y).toEqual([10, 20, 30]);
    expect(input).toEqual(await read(PLAIN));
  });

  it('are missing where there is no row or no target, and spend is 0 where it is empty', async () => {
    const input = await read([HEADER, '2026-01-04,10,1,0,5', '2026-01-11,,2,,6', '2026-01-25,30,,4,7']);
    expect(input.weeks).toEqual(['2026-01-04', '2026-01-11', '2026-01-18', '2026-01-25']);
    expect(input.y).toEqual([10, null, null, 30]);
    expect(input.channels.map(({ spend }) => spend)).toEqual([
      [0, 0, 0, 4],
      [1, 2, 0, 0],
    ]);
  });

  it('begin and end with a target; what was spent before starts the carry-over', async () => {
    const input = await read([HEADER, '2025-12-21,,8,0,0', ...PLAIN.slice(1), '2026-01-25,,9,9,0']);
    expect(input.weeks).toEqual(['2026-01-04', '2026-01-11', '2026-01-18']);
    expect(input.channels.map(({ slug, before }) => [slug, before])).toEqual([
      ['google_ads', [0, 0]],
      ['tv', [8, 0]],
    ]);
  });

  it('before the window are 26 at most', async () => {
    const before = Array.from({ length: 40 }, (_, week) => {
      const day = new Date(Date.UTC(2025, 11, 28) - week * 7 * 86_400_000).toISOString().slice(0, 10);
      return `${day},,1,0,0`;
    });
    const input = await read([HEADER, ...before, ...PLAIN.slice(1)]);
    expect(input.channels.map((channel) => channel.before.length)).toEqual([26, 26]);
  });
});

describe('the channels of a file', () => {
  it('are classified and sorted as the service does', async () => {
    const { channels } = await read(PLAIN);
    expect(channels.map(({ slug, name, family }) => [slug, name, family])).toEqual([
      ['google_ads', 'Google', 'search'],
      ['tv', 'tv', 'tv'],
    ]);
    expect(await read(PLAIN, { channels: ['Google', 'tv'] })).toEqual(await read(PLAIN));
  });

  it('are added up when their names mean the same, and left out without spend', async () => {
    const lines = ['week,y,adwords,Google,tv', '2026-01-04,1,2,3,0', '2026-01-11,2,4,0,0'];
    const { channels } = await read(lines, { channels: ['adwords', 'Google', 'tv'] });
    expect(channels).toEqual([{ slug: 'google_ads', name: 'Google', family: 'search', spend: [5, 4], before: [] }]);
  });

  it('above 30 are pooled by family', async () => {
    const names = Array.from({ length: 32 }, (_, index) => `c${index}`);
    const lines = [
      `week,y,${names.join(',')}`,
      ...['2026-01-04', '2026-01-11'].map((day) => `${day},1,${names.map((_, index) => 10 + index).join(',')}`),
    ];
    const { channels } = await read(lines, { channels: names });
    expect(channels).toHaveLength(30);
    expect(channels.find(({ name }) => name === 'other (pooled)')?.spend).toEqual([33, 33]);
  });
});

describe('controls', () => {
  it('are read for each week', async () => {
    expect((await read(PLAIN, { controls: ['rain'] })).controls).toEqual([{ name: 'rain', values: [5, 6, 7] }]);
  });

  it.each([
    ['an empty cell', [HEADER, '2026-01-04,10,1,0,5', '2026-01-11,20,2,7,']],
    ['no row', [HEADER, '2026-01-04,10,1,0,5', '2026-01-18,20,2,7,5']],
  ])('must not have %s', async (_, lines) => {
    await expect(read(lines, { controls: ['rain'] })).rejects.toMatchObject({
      code: 'control_gap',
      extensions: { control: 'rain', week_end: '2026-01-11' },
    });
  });
});

describe('what is wrong with a file', () => {
  it.each([
    [
      'a column that it lacks',
      PLAIN,
      { target: 'sales' },
      'has no column "sales"; its columns are week, y, tv, Google, rain.',
    ],
    [
      'a target that is none',
      [HEADER, '2026-01-04,10,1,0,5', '2026-01-11,ten,2,7,6'],
      {},
      'line 3, column "y": "ten" is not a number.',
    ],
    ['a comma as decimal sign', [HEADER, '2026-01-04,"1,5",1,0,5'], {}, 'line 2, column "y": "1,5" is not a number.'],
    ['spend below zero', [HEADER, '2026-01-04,10,-1,0,5'], {}, 'line 2, column "tv": spend must not be negative.'],
    [
      'no date',
      [HEADER, '4.1.2026,10,1,0,5'],
      {},
      'line 2, column "week": "4.1.2026" is not a date such as 2026-03-01.',
    ],
    [
      'no real date',
      [HEADER, '2026-02-30,10,1,0,5'],
      {},
      'line 2, column "week": "2026-02-30" is not a date such as 2026-03-01.',
    ],
    [
      'a week that stands twice',
      [HEADER, '# a comment', '2026-01-05,10,1,0,5', '2026-01-11,20,2,7,6'],
      {},
      'line 4, column "week": the week that ends on 2026-01-11 stands on line 3 already, give one row a week.',
    ],
    ['no row', [HEADER], {}, 'has no rows.'],
    ['quotes that never end', [HEADER, '2026-01-04,"10,1,0,5'], {}, "can't be read as CSV: "],
  ])('is said in one sentence: %s', async (_, lines, options, sentence) => {
    await expect(read(lines, options)).rejects.toThrow(sentence);
  });

  it('ends as a model without numbers when there is no target or no spend', async () => {
    await expect(read([HEADER, '2026-01-04,,1,0,5'])).rejects.toMatchObject({ code: 'target_unavailable' });
    await expect(read([HEADER, '2026-01-04,5,0,,5'])).rejects.toMatchObject({ code: 'no_cost' });
    const onlyInMissing = [HEADER, '2026-01-04,5,0,0,5', '2026-01-11,,9,9,5', '2026-01-18,6,0,0,5'];
    await expect(read(onlyInMissing)).rejects.toMatchObject({ code: 'no_cost' });
  });

  it('is a file that is not there', async () => {
    await expect(readMixFile(join(folder, 'none.csv'), OPTIONS)).rejects.toThrow(/^There is no file .*none\.csv\.$/);
  });
});

describe('lift tests', () => {
  const TEST = { channel: 'adwords', from: '2026-01-05', to: '2026-01-14', value: 2.5, se: 0.25 };

  it('are of all spend of a channel in whole weeks, cut at the window', async () => {
    const { tests } = await read(PLAIN, {}, [TEST, { ...TEST, channel: 'tv', from: '2025-01-01', to: '2026-01-04' }]);
    expect(tests).toEqual([
      { testId: null, channel: 'google_ads', from: 1, to: 2, tested: [0, 1, 1], value: 2.5, se: 0.25 },
      { testId: null, channel: 'tv', from: 0, to: 0, tested: [1, 0, 0], value: 2.5, se: 0.25 },
    ]);
  });

  it.each([
    ['no JSON', '[', /is no JSON\.$/],
    ['no array', {}, /is no JSON array of tests\.$/],
    [
      'a channel that is none',
      [{ ...TEST, channel: 'radio' }],
      /test 1: "radio" is no channel with spend in the file\.?$/,
    ],
    ['no object', [TEST, 5], /test 2: "" is no channel/],
    ['a date that is none', [{ ...TEST, to: 'soon' }], /test 1: to is not a date/],
    [
      'weeks outside',
      [{ ...TEST, from: '2027-01-01', to: '2027-02-01' }],
      /test 1: from and to name no week of the window/,
    ],
    ['weeks in the wrong order', [{ ...TEST, to: '2025-12-01' }], /test 1: from and to name no week of the window/],
    [
      'weeks without spend',
      [{ ...TEST, from: '2026-01-18', to: '2026-01-18' }],
      /test 1: "adwords" has no spend in these weeks/,
    ],
    ['a value that is none', [{ ...TEST, value: '2' }], /test 1: value is not a number/],
    ['no error', [{ ...TEST, se: 0 }], /test 1: se is not a number over 0/],
  ])('are refused with %s', async (_, tests, message) => {
    await expect(read(PLAIN, {}, tests)).rejects.toThrow(message);
  });
});
