import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CostImportReport } from '#contracts/cost-import.js';
import { codesOf, csvLine, importFile, importRows, refused, storedRows } from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const json = { 'Content-Type': 'application/json' };

async function importText(text: string): Promise<CostImportReport> {
  return importFile(service, asset, text, json);
}

describe('numbers keep their digits as written', () => {
  it.each([
    ['12345678901234.123456', '12345678901234.123456'],
    ['999999999999999.999999', '999999999999999.999999'],
    ['0.1', '0.100000'],
    ['100', '100.000000'],
    ['-0', '0.000000'],
    ['-0.0', '0.000000'],
    ['"1,234.50"', '1234.500000'],
    ['" +7 "', '7.000000'],
  ])('%s is stored as %s', async (cost, stored) => {
    await importText(`{"rows":[{"date":"2024-01-07","channel":"Google","cost":${cost}}]}`);
    expect(await storedRows(service, asset)).toMatchObject([{ cost: stored }]);
  });

  it.each([
    ['0.1000001', 'invalid_cost'],
    ['0.1000000', 'invalid_cost'],
    ['1234567890123456', 'invalid_cost'],
    ['1e5', 'invalid_cost'],
    ['1E+2', 'invalid_cost'],
    ['-1e0', 'invalid_cost'],
    ['true', 'invalid_cost'],
    ['null', 'invalid_cost'],
    ['""', 'invalid_cost'],
    ['[1]', 'invalid_cost'],
    ['{"amount":1}', 'invalid_cost'],
    ['-1', 'negative_cost'],
  ])('%s is %s', async (cost, code) => {
    const report = await importText(`{"rows":[{"date":"2024-01-07","channel":"Google","cost":${cost}}]}`);
    expect(codesOf(report.errors)).toEqual([`2 cost ${code}`]);
    expect(report.errors[0]?.value).toBe(cost === 'null' || cost === '""' ? '' : cost);
  });
});

it('keys follow the rules of a header', async () => {
  const report = await importRows(service, asset, [
    { ' DATE ': '2024-01-07', Channel: 'Google', SPEND: 1 },
    { spend: 9, week: '1999-01-01', date: '2024-01-08', channel: 'Google', cost: 2, extra: { deep: [1, { x: null }] } },
    {
      channel: 'Google',
      week_ending: '2024-01-09',
      spend: '3',
      source: null,
      campaign: null,
      currency: null,
      revenue: null,
    },
    { revenue: 4, currency: 'eur', campaign: 'c', source: 's', cost: 4, channel: 'Google', date: '2024-01-10' },
    ['2024-01-11', 'Google', '', '', 5],
  ]);
  expect(codesOf(report.errors)).toEqual(['6 date missing_date', '6 channel missing_channel', '6 cost invalid_cost']);
  expect(await storedRows(service, asset)).toMatchObject([
    { line: 2, date: '2024-01-07', cost: '1.000000' },
    { line: 3, date: '2024-01-08', cost: '2.000000' },
    { line: 4, date: '2024-01-09', cost: '3.000000', source: '', campaign: '', currency: 'USD', revenue: null },
    { line: 5, date: '2024-01-10', cost: '4.000000', source: 's', campaign: 'c', currency: 'EUR', revenue: '4.000000' },
  ]);
});

it('a key given twice counts the first time', async () => {
  await importText('{"rows":[{"date":"2024-01-07","channel":"Google","cost":1,"cost":2,"Cost":3}]}');
  expect(await storedRows(service, asset)).toMatchObject([{ cost: '1.000000' }]);
});

it('other members of the root are ignored, before and after', async () => {
  const report = await importText(
    '\uFEFF \n{"meta":{"rows":[1,2]},"x":[[[]]],"rows":[{"date":"2024-01-07","channel":"G\\u006fogle","cost":1}],"ROWS":[],"y":null}\n ',
  );
  expect(report).toMatchObject({ total: 1, inserted: 1 });
  expect(await storedRows(service, asset)).toMatchObject([{ channel: 'Google' }]);
});

describe('what is not {"rows":[…]} is invalid_json, and nothing is written', () => {
  const good = '{"date":"2024-01-07","channel":"Google","cost":1}';
  it.each([
    '[]',
    'null',
    '1',
    '"rows"',
    '{}',
    '{"row":[]}',
    '{"Rows":[{}]}',
    '{"rows":{}}',
    '{"rows":null}',
    '{"rows":"x"}',
    `[${good}]`,
    good,
    `{"rows":[${good}]`,
    `{"rows":[${good}`,
    `{"rows":[${good},]}`,
    `{"rows":[${good}]}x`,
    `{"rows":[${good}]}{"rows":[]}`,
    `{"rows":[${good}],}`,
    `{"rows":[${good}],"rows":[]}`,
    `{'rows':[]}`,
    '{"rows":[{"cost":01}]}',
    '{"rows":[{"cost":.5}]}',
    '{"rows":[{"cost":+5}]}',
    '{"rows":[{"cost":NaN}]}',
    '{"rows":[{"cost":1.}]}',
    '{"rows":[{"cost":"\n"}]}',
    '{"rows":[{"a" "b"}]}',
    '{"rows":[{"a":"\\x"}]}',
    '{"rows":[tru]}',
    '   ',
    '// c\n{"rows":[]}',
    `{"rows":[${good} ${good}]}`,
    `{"rows":${'['.repeat(100_000)}`,
    `{"rows":[{"cost":"${'9'.repeat(100_000)}"}]}`,
  ])('%.60s', async (body) => {
    expect((await refused(service, asset, body, { headers: json })).body).toMatchObject({
      status: 400,
      code: 'invalid_json',
    });
    expect(await storedRows(service, asset)).toEqual([]);
  });
});

it.each(['"\\u0000"', '"\\ud83d"', '"\\udc00x"', '"a\0b"'])(
  'text that cannot be stored is refused: %j',
  async (channel) => {
    const { body } = await refused(service, asset, `{"rows":[{"date":"2024-01-07","channel":${channel},"cost":1}]}`, {
      headers: json,
    });
    expect(body.status).toBe(400);
    expect(['invalid_encoding', 'invalid_json']).toContain(body.code);
    expect(await storedRows(service, asset)).toEqual([]);
  },
);

describe('CSV and JSON of the same rows behave alike', () => {
  const columns = ['date', 'channel', 'source', 'campaign', 'cost', 'currency', 'revenue'] as const;
  const text = fc.oneof(
    fc.constantFrom('', 'Google', 'Meta', "'=x", ' a ', 'a,b', 'a"b', 'a\nb', '#x', 'ü', '😀'),
    fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => !/[\0\r]/.test(value)),
    fc.constantFrom('x'.repeat(256), 'x'.repeat(257)),
  );
  const amount = fc.oneof(
    fc.constantFrom('', '1', '-1', '-0', '1,234.5', '9,99', '1e5', '0.1234567', ' 7 '),
    fc.integer({ min: -5, max: 1000 }).map(String),
  );
  const row = fc.record({
    date: fc.constantFrom('2024-01-07', '2024-01-08', '2024-01-08T10:00:00Z', '2024-02-30', '', '2099-01-04'),
    channel: text,
    source: text,
    campaign: fc.oneof(fc.constant(''), text),
    cost: amount,
    currency: fc.constantFrom('', 'EUR', 'eur', 'x'),
    revenue: amount,
  });
  const withoutFileLine = (report: CostImportReport): unknown =>
    JSON.parse(JSON.stringify(report, (key, value: unknown) => (key === 'file_line' ? undefined : value)));

  it('the report is the same but for file_line, and so is what is stored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), fc.boolean(), async (rows, numbers) => {
        const [one, other] = await Promise.all([service.newAsset(), service.newAsset()]);
        const csv =
          columns.join(',') + '\n' + rows.map((cells) => csvLine(columns.map((column) => cells[column]))).join('');
        // Where the digits are those of a JSON number, it may stand without quotes.
        const asNumber = (value: string): unknown => (numbers && /^(0|[1-9]\d*)$/.test(value) ? Number(value) : value);
        const [fromCsv, fromJson] = [
          await importFile(service, one, csv),
          await importRows(
            service,
            other,
            rows.map((cells) => ({ ...cells, cost: asNumber(cells.cost), revenue: asNumber(cells.revenue) })),
          ),
        ];
        expect(withoutFileLine(fromCsv)).toEqual(withoutFileLine(fromJson));
        const stored = await Promise.all([one, other].map((tenant) => storedRows(service, tenant)));
        expect(stored[0]?.map((kept) => ({ ...kept, import_id: '' }))).toEqual(
          stored[1]?.map((kept) => ({ ...kept, import_id: '' })),
        );
      }),
      { numRuns: 100 },
    );
  });
});
