import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codesOf, importFile, importRows, storedRows } from '../fixtures/cost-import-client.js';
import { fileOf, importOne } from '../fixtures/cost-import-rows.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

describe('a date', () => {
  it.each([
    ['2024-02-29', '2024-02-29'],
    ['2000-02-29', '2000-02-29'],
    ['1970-01-01', '1970-01-01'],
    [' 2024-01-07 ', '2024-01-07'],
    ['2024-01-07T00:00:00Z', '2024-01-07'],
    ['2024-01-07t23:59:60z', '2024-01-07'],
    ['2024-01-07T23:30:00.123456789-11:00', '2024-01-07'],
    ['2024-01-07T00:30:00+14:00', '2024-01-07'],
  ])('%j is taken as written', async (date, stored) => {
    expect(await importOne(service, { date })).toMatchObject({ codes: [], stored: { date: stored } });
  });

  it.each([
    '2023-02-29',
    '1900-02-29',
    '2100-02-29',
    '2024-04-31',
    '2024-00-10',
    '2024-13-01',
    '2024-01-00',
    '2024-01-32',
    '1969-12-31',
    '2101-01-01',
    '0000-01-01',
    '2024-1-7',
    '20240107',
    '07.01.2024',
    '01/07/2024',
    '2024-01-07T00:00:00',
    '2024-01-07T24:00:00Z',
    '2024-01-07T12:60:00Z',
    '2024-01-07T12:00Z',
    '2024-01-07T12:00:00+24:00',
    '2024-01-07T12:00:00+0100',
    '2024-01-07T12:00:00.Z',
    '2023-02-29T00:00:00Z',
    '２０２４-01-07',
    '45298',
    'yesterday',
    '2024-01-07x',
    '-2024-01-07',
    '2024-W01',
    "'2024-01-07",
  ])('%j is an invalid_date', async (date) => {
    expect(await importOne(service, { date })).toMatchObject({
      codes: ['2 date invalid_date'],
      value: date,
      stored: undefined,
    });
  });

  it.each(['', '   ', '\t'])('%j is a missing_date', async (date) => {
    expect(await importOne(service, { date })).toMatchObject({ codes: ['2 date missing_date'], value: '' });
  });

  it('2100-12-31 is the last one, and in the future', async () => {
    expect(await importOne(service, { date: '2100-12-31' })).toMatchObject({
      codes: ['2 date future_date'],
      value: '2100-12-31',
      stored: { date: '2100-12-31' },
    });
  });
});

describe('channel, source and campaign', () => {
  it.each(['channel', 'source', 'campaign'] as const)(
    '%s may have 256 code points, emoji or not, and no more',
    async (field) => {
      for (const character of ['x', 'é', '漢', '😀']) {
        const most = 'Google ' + character.repeat(249);
        const kept = await importOne(service, { [field]: most });
        expect(kept.codes).toEqual([]);
        expect(kept.stored?.[field]).toBe(most);
        const over = await importOne(service, { [field]: `${most}${character}` });
        expect(over).toMatchObject({ codes: [`2 ${field} field_too_long`], stored: undefined });
        expect(over.value).toBe(Array.from(most).slice(0, 64).join(''));
      }
    },
  );

  it('counts after trimming and after taking off the apostrophe', async () => {
    const formula = `=${'x'.repeat(255)}`;
    expect(await importOne(service, { campaign: `  '${formula}  ` })).toMatchObject({
      codes: [],
      stored: { campaign: formula },
    });
  });

  it('takes one apostrophe off before = + - @ only', async () => {
    const cases = [
      ["'=SUM(1)", '=SUM(1)'],
      ["'+49", '+49'],
      ["'-x", '-x'],
      ["'@x", '@x'],
      ["''=x", "''=x"],
      ["'x", "'x"],
      ["'", "'"],
      ['=x', '=x'],
      ["' =x", "' =x"],
      ["x'=y", "x'=y"],
    ] as const;
    for (const [source, stored] of cases)
      expect(await importOne(service, { source })).toMatchObject({ codes: [], stored: { source: stored } });
  });

  it('keeps inner white space, quotes, backslashes, tabs and line ends as they are', async () => {
    for (const campaign of [
      'a  b',
      'a\tb',
      'a\nb',
      'a\r\nb',
      '\\N',
      '\\.',
      'a\\tb',
      '"',
      'a,b;c',
      '{"x":1}',
      '\u200B',
      'e\u0301',
      'é',
      '\\',
      'NULL',
      '%s $1',
    ]) {
      expect((await importOne(service, { campaign })).stored?.['campaign']).toBe(campaign);
    }
  });

  it('an empty channel is a missing_channel', async () => {
    for (const channel of ['', '   ', '\u00A0'])
      expect(await importOne(service, { channel })).toMatchObject({ codes: ['2 channel missing_channel'] });
  });
});

it('a rejected row gives all its errors and no warning', async () => {
  const long = 'x'.repeat(257);
  const report = await importFile(
    service,
    asset,
    fileOf(
      { date: 'x', channel: '', source: long, campaign: long, cost: '-1', currency: '€', revenue: 'x' },
      { date: '2099-01-04', channel: 'Unheard of', cost: '', currency: '€', revenue: 'x' },
    ),
  );
  expect(codesOf(report.errors)).toEqual([
    '2 date invalid_date',
    '2 channel missing_channel',
    '2 source field_too_long',
    '2 campaign field_too_long',
    '2 cost negative_cost',
    '3 cost invalid_cost',
  ]);
  expect(report).toMatchObject({
    ok: true,
    total: 2,
    skipped: 2,
    inserted: 0,
    updated: 0,
    imported_from: null,
    imported_to: null,
    warnings: [],
    errors_total: 6,
    warnings_total: 0,
  });
});

it('an imported row gives all its warnings', async () => {
  const report = await importFile(
    service,
    asset,
    fileOf({ date: '2099-01-04', channel: 'Unheard of', currency: '€', revenue: 'x' }),
  );
  expect(codesOf(report.warnings).sort()).toEqual([
    '2 channel unknown_channel',
    '2 currency invalid_currency',
    '2 date future_date',
    '2 revenue invalid_revenue',
  ]);
  expect(report).toMatchObject({
    total: 1,
    inserted: 1,
    skipped: 0,
    imported_from: '2099-01-04',
    imported_to: '2099-01-04',
    errors: [],
    warnings_total: 4,
  });
  expect(report.warnings.map(({ value }) => value).sort()).toEqual(['2099-01-04', 'Unheard of', 'x', '€']);
});

it('value has at most 64 characters', async () => {
  const report = await importFile(
    service,
    asset,
    fileOf({ date: '😀'.repeat(70), cost: 'y'.repeat(1000) }, { currency: 'z'.repeat(64) }),
  );
  expect(report.errors.map(({ value }) => value)).toEqual(['😀'.repeat(64), 'y'.repeat(64)]);
  expect(report.warnings.map(({ value }) => value)).toEqual(['z'.repeat(64)]);
});

it('a row of empty cells is a row and lacks its date', async () => {
  const report = await importFile(service, asset, 'date,channel,cost\n,,,\n,\n');
  expect(codesOf(report.errors)).toEqual([
    '2 date missing_date',
    '2 channel missing_channel',
    '2 cost invalid_cost',
    '3 date missing_date',
    '3 channel missing_channel',
    '3 cost invalid_cost',
  ]);
});

it('one key in three spellings of its date is one row', async () => {
  const alone = await service.newAsset();
  const report = await importFile(
    service,
    alone,
    fileOf(
      { cost: '1' },
      { date: '2024-01-07T10:00:00Z', cost: '2' },
      { date: '2024-01-07T23:59:59-05:00', cost: '3', channel: ' Google Ads ' },
    ),
  );
  expect(report).toMatchObject({ inserted: 1, updated: 2 });
  expect(await storedRows(service, alone)).toMatchObject([{ cost: '3.000000', line: 4 }]);
});

it('JSON values follow the same rules', async () => {
  const alone = await service.newAsset();
  const report = await importRows(service, alone, [
    { date: '2024-02-30', channel: 'x'.repeat(257), cost: -1 },
    { date: '2024-01-07', channel: 'Google', cost: true },
    { date: '2024-01-07', channel: 'Google', cost: 5, revenue: -1, currency: 12 },
  ]);
  expect(codesOf(report.errors)).toEqual([
    '2 date invalid_date',
    '2 channel field_too_long',
    '2 cost negative_cost',
    '3 cost invalid_cost',
  ]);
  expect(codesOf(report.warnings)).toEqual(['4 currency invalid_currency', '4 revenue invalid_revenue']);
  expect(report.errors.every((issue) => !('file_line' in issue))).toBe(true);
});
