import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { LiftInput } from '#apps/mmm-lift/src/lift/lift-input.js';
import { readLiftFile, type LiftFileOptions } from './lift-file.js';

const folder = mkdtempSync(join(tmpdir(), 'tallyport-lift-file-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const OPTIONS: LiftFileOptions = {
  date: 'day',
  target: 'y',
  place: undefined,
  treated: [],
  controls: [],
  controlColumns: ['b', 'a'],
  testFrom: '2026-01-05',
  testTo: '2026-01-06',
  preFrom: undefined,
  period: undefined,
  seed: 3,
};

function read(lines: readonly string[], options: Partial<LiftFileOptions> = {}): Promise<LiftInput> {
  const file = join(folder, 'lift.csv');
  writeFileSync(file, lines.join('\n'));
  return readLiftFile(file, { ...OPTIONS, ...options });
}

const WIDE = ['day,y,a,b', ...[1, 2, 3, 4, 5, 6, 7].map((day) => `2026-01-0${day},${day},${10 * day},${100 * day}`)];
const LONG = [
  'day,place,y',
  ...[1, 2, 3, 4, 5, 6].flatMap((day) =>
    ['east', 'west', 'north'].map((place, index) => `2026-01-0${day},${place},${day + 10 * index}`),
  ),
];
const PLACES: Partial<LiftFileOptions> = { place: 'place', treated: ['west', 'east'], controlColumns: [] };

describe('a wide file', () => {
  it('has a column for each series; rows after the test are left out', async () => {
    expect(await read(WIDE)).toMatchObject({
      metric: 'y',
      days: ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'],
      preLength: 4,
      tailLength: 0,
      y: [1, 2, 3, 4, 5, 6],
      controls: [
        { name: 'a', values: [10, 20, 30, 40, 50, 60] },
        { name: 'b', values: [100, 200, 300, 400, 500, 600] },
      ],
      period: 7,
      treated: ['y'],
      seed: 3,
    });
  });

  it('reads the same in any order of rows and columns', async () => {
    const [header = '', ...rows] = WIDE;
    expect(await read([header, ...rows.reverse()], { controlColumns: ['a', 'b'] })).toEqual(await read(WIDE));
  });

  it('has missing days where there is no row or no outcome', async () => {
    const input = await read([...WIDE.slice(0, 2), '2026-01-02,,20,200', ...WIDE.slice(3, 7)], {
      preFrom: '2026-01-01',
    });
    expect(input.y).toEqual([1, null, 3, 4, 5, 6]);
    const gap = await read(WIDE.filter((line) => !line.startsWith('2026-01-02')));
    expect(gap.days).toEqual(input.days);
    expect(gap.y).toEqual([1, null, 3, 4, 5, 6]);
  });

  it('begins with the pre-period that is asked for', async () => {
    const input = await read(WIDE, { preFrom: '2026-01-02' });
    expect([input.days[0], input.preLength]).toEqual(['2026-01-02', 3]);
  });

  it('may have weeks, with a test between their dates', async () => {
    const weeks = ['day,y,a,b', ...['04', '11', '18', '25'].map((day) => `2026-01-${day},1,2,3`), '2026-02-01,5,6,7'];
    const input = await read(weeks, { testFrom: '2026-01-20', testTo: '2026-01-31', period: undefined });
    expect([input.days.slice(input.preLength), input.period]).toEqual([['2026-01-25'], 1]);
  });

  it('may have years, or no dates at all, and then row numbers', async () => {
    const years = ['day,y,a,b', ...[1985, 1986, 1987, 1988, 1989, 1990].map((year, row) => `${year},${row},1,2`)];
    const byYear = await read(years, { testFrom: '1989', testTo: '1990' });
    expect([byYear.preLength, byYear.days.slice(4), byYear.period]).toEqual([4, ['1989', '1990'], 1]);
    const byRow = await read(years, { testFrom: '5', testTo: '6' });
    expect(byRow).toEqual(byYear);
    const numbered = await read(years, { date: undefined, testFrom: '5', testTo: '6' });
    expect(numbered).toEqual({ ...byYear, days: ['1', '2', '3', '4', '5', '6'] });
    const dated = await read(WIDE, { testFrom: '5', testTo: '6' });
    expect(dated).toEqual(await read(WIDE));
  });

  it('takes months as they come', async () => {
    const months = ['day,y,a,b', ...[1, 2, 3, 4, 5, 6].map((month) => `2026-0${month}-01,${month},1,2`)];
    const input = await read(months, { testFrom: '2026-05-01', testTo: '2026-06-30' });
    expect([input.days.length, input.preLength, input.period]).toEqual([6, 4, 1]);
  });
});

describe('a long file', () => {
  it('adds up the treated places; all others are controls', async () => {
    expect(await read(LONG, PLACES)).toMatchObject({
      y: [12, 14, 16, 18, 20, 22],
      treated: ['east', 'west'],
      controls: [{ name: 'north', values: [21, 22, 23, 24, 25, 26] }],
      preLength: 4,
    });
  });

  it('is missing only where no treated place has a value; a control without a row is 0', async () => {
    const lines = LONG.filter((line) => !/^2026-01-02,(east|west|north)|^2026-01-03,(east|north)/.test(line));
    const input = await read(lines, PLACES);
    expect(input.y).toEqual([12, null, 13, 18, 20, 22]);
    expect(input.controls[0]?.values).toEqual([21, 0, 0, 24, 25, 26]);
  });

  it('compares with the places that are named', async () => {
    const input = await read(LONG, { ...PLACES, treated: ['east'], controls: ['west'] });
    expect(input.controls.map(({ name }) => name)).toEqual(['west']);
  });

  it('counts periods as rows', async () => {
    expect(await read(LONG, { ...PLACES, testFrom: '5', testTo: '6' })).toEqual(await read(LONG, PLACES));
  });
});

describe('what is wrong with a file', () => {
  it.each<[string, readonly string[], Partial<LiftFileOptions>, string]>([
    [
      'a test outside',
      WIDE,
      { testFrom: '2027-01-01' },
      '"2027-01-01" is no date or row number of the file, which goes from 2026-01-01 to 2026-01-07.',
    ],
    ['a row that is none', WIDE, { testTo: '99' }, '"99" is no date or row number of the file'],
    ['a word', WIDE, { testFrom: 'soon' }, '"soon" is no date or row number of the file'],
    ['an end before the beginning', WIDE, { testFrom: '6', testTo: '5' }, 'The test ends before it begins'],
    ['hardly anything before the test', WIDE, { testFrom: '3' }, 'There are fewer than 3 periods before the test.'],
    [
      'a day that stands twice',
      [...WIDE, '2026-01-03,1,2,3'],
      {},
      'line 9, column "day": 2026-01-03 stands on an earlier line already',
    ],
    [
      'a control without a value',
      [...WIDE, '2026-01-08,1,2,'],
      {},
      'line 9, column "b": a control needs a number in every row.',
    ],
    ['dates that are none', [...WIDE, 'x,1,2,3'], {}, 'line 9, column "day": "x" is not a date'],
    ['a place that it lacks', LONG, { ...PLACES, treated: ['south'] }, 'has no place "south".'],
    ['a place of both kinds', LONG, { ...PLACES, controls: ['east'] }, '"east" is both treated and a control.'],
    [
      'a place twice in a day',
      [...LONG, '2026-01-03,east,1'],
      PLACES,
      'line 20, column "place": east has a row for 2026-01-03 already.',
    ],
    ['a place without a name', [...LONG, '2026-01-07,,1'], PLACES, 'line 20, column "place": the place is empty.'],
  ])('is said in one sentence: %s', async (_, lines, options, sentence) => {
    await expect(read(lines, options)).rejects.toThrow(sentence);
  });
});
