import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call, codesOf, csvLine, importFile, importRows, storedRows } from '../fixtures/cost-import-client.js';
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

function linesOf(issues: readonly { line: number; file_line?: number }[]): [number, number | undefined][] {
  return issues.map(({ line, file_line }) => [line, file_line]);
}

describe('line is the record number, file_line the physical line', () => {
  it.each<[string, string, [number, number][]]>([
    ['the header is line 1', 'date,channel,cost\nx,Google,1\n', [[2, 2]]],
    [
      'comments and empty lines do not count',
      '# one\n\ndate,channel,cost\n#two\n\n\nx,Google,1\n# three\nx,Google,1\n',
      [
        [2, 7],
        [3, 9],
      ],
    ],
    [
      'a file without a header begins with line 1',
      'x,Google,,,1\n#\nx,Google,,,1\n',
      [
        [1, 1],
        [2, 3],
      ],
    ],
    [
      'a quoted line end counts for file_line',
      'date,channel,cost,source\nx,Google,1,"a\nb\n\n#c"\nx,Google,1,\n',
      [
        [2, 2],
        [3, 6],
      ],
    ],
    ['a header may span lines', 'date,channel,cost,"so\nurce"\nx,Google,1,\n', [[2, 3]]],
    [
      'CR LF is one line end',
      '# c\r\n\r\ndate,channel,cost\r\nx,Google,1\r\nx,"Goo\r\ngle",1\r\nx,Google,1',
      [
        [2, 4],
        [3, 5],
        [4, 7],
      ],
    ],
    ['a byte-order mark counts for nothing', '\uFEFFdate,channel,cost\nx,Google,1\n', [[2, 2]]],
    [
      'a row of commas counts',
      'date,channel,cost\n,,\nx,Google,1\n',
      [
        [2, 2],
        [2, 2],
        [2, 2],
        [3, 3],
      ],
    ],
    [
      'a line of white space is a record',
      'date,channel,cost\n  \nx,Google,1\n',
      [
        [2, 2],
        [2, 2],
        [2, 2],
        [3, 3],
      ],
    ],
  ])('%s', async (_name, file, lines) => {
    expect(linesOf((await importFile(service, asset, file)).errors)).toEqual(lines);
  });

  it('the first row of JSON is line 2, and it has no file_line', async () => {
    const report = await importRows(service, asset, [
      {},
      7,
      null,
      'x',
      [],
      { date: '2024-01-07', channel: 'Google', cost: 1 },
      { date: null, channel: 'Google', cost: 1 },
    ]);
    expect(codesOf(report.errors)).toEqual(
      [2, 3, 4, 5, 6]
        .flatMap((line) => [
          `${line} date missing_date`,
          `${line} channel missing_channel`,
          `${line} cost invalid_cost`,
        ])
        .concat('8 date missing_date'),
    );
    expect(report.errors.some((issue) => 'file_line' in issue)).toBe(false);
    expect(await storedRows(service, asset)).toMatchObject([{ line: 7 }]);
  });
});

/** The day in a time zone, `days` later. */
function dayIn(timeZone: string, days: number): string {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date());
  return new Date(Date.parse(`${today}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

describe('future_date', () => {
  it.each(['Pacific/Kiritimati', 'America/Los_Angeles', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'UTC'])(
    'is after the day of the upload in %s',
    async (timezone) => {
      const there = await service.newAsset({ timezone });
      const [today, tomorrow] = [dayIn(timezone, 0), dayIn(timezone, 1)];
      const report = await importFile(
        service,
        there,
        `date,channel,cost\n${today},Google,1\n${tomorrow},Google,1\n${tomorrow}T00:00:00+14:00,Meta,1\n`,
      );
      // The day may end between the two clocks.
      expect(dayIn(timezone, 0)).toBe(today);
      expect(codesOf(report.warnings)).toEqual(['3 date future_date', '4 date future_date']);
      expect(report).toMatchObject({ inserted: 3, imported_from: today, imported_to: tomorrow });
    },
  );

  it('may differ between two assets at the same moment', async () => {
    const [east, west] = await Promise.all(
      ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((timezone) => service.newAsset({ timezone })),
    );
    const file = `date,channel,cost\n${dayIn('Pacific/Kiritimati', 0)},Google,1\n`;
    expect((await importFile(service, east!, file)).warnings).toEqual([]);
    expect(codesOf((await importFile(service, west!, file)).warnings)).toEqual(['2 date future_date']);
  });
});

describe('unknown_channel', () => {
  const codes = async (channel: string): Promise<string[]> =>
    codesOf((await importFile(service, asset, `date,channel,cost\n2024-01-07,${channel},1\n`)).warnings);

  it.each(['Google Ads', 'google_ads', 'GOOGLE', 'Facebook', 'TikTok', 'Mëta', 'My TV campaign', 'x'])(
    '%s is a known platform',
    async (channel) => {
      expect(await codes(channel)).toEqual([]);
    },
  );

  it.each(['Acme', 'Googleplex', 'Big Impact', '漢字', '!!!'])('%s is none', async (channel) => {
    expect(await codes(channel)).toEqual(['2 channel unknown_channel']);
  });

  it('a channel of the mapping is known, in this asset only', async () => {
    await service.dataSource.query(`INSERT INTO imports.channel_mapping VALUES ($1, 'Acme  Network', 'display')`, [
      asset.assetId,
    ]);
    expect(await codes('ACME network')).toEqual([]);
    expect(await codes('Acme')).toEqual(['2 channel unknown_channel']);
    asset = await service.newAsset();
    expect(await codes('Acme Network')).toEqual(['2 channel unknown_channel']);
  });
});

const emoji = (): string =>
  Array.from({ length: 256 }, () => String.fromCodePoint(0x1f300 + randomInt(0x200))).join('');

it('keys of 3 x 256 characters of four bytes are stored and found again', async () => {
  const rows = Array.from({ length: 50 }, () => [emoji(), emoji(), emoji()] as const);
  const file = (cost: string): string =>
    `date,channel,source,campaign,cost\n${rows.map((row) => csvLine(['2024-01-07', ...row, cost])).join('')}`;
  expect(await importFile(service, asset, file('1'))).toMatchObject({ inserted: 50, updated: 0, skipped: 0 });
  expect(await importFile(service, asset, file('2') + csvLine(['2024-01-07', ...rows[0]!, '3']))).toMatchObject({
    total: 51,
    inserted: 0,
    updated: 51,
  });
  const stored = await storedRows(service, asset);
  expect(stored.map(({ channel, source, campaign }) => channel + source + campaign).sort()).toEqual(
    rows.map((row) => row.join('')).sort(),
  );
  expect(stored.map(({ cost }) => cost).sort()).toEqual([...Array<string>(49).fill('2.000000'), '3.000000']);
});

describe('a stored row names the import and line that last changed it', () => {
  const idOf = async (file: string): Promise<string> => {
    const { status, headers } = await call(service, asset, file);
    expect(status).toBe(200);
    return headers.get('x-service-import-id') ?? '';
  };

  it('an equal row, also in another spelling, keeps the old ones; a differing one takes the new', async () => {
    const first = await idOf(
      'date,channel,cost,currency,revenue\n2024-01-07,Google,10,EUR,\n2024-01-07,Meta,5,,1\n2024-01-07,TikTok,5,,1\n2024-01-07,Bing,5,,\n',
    );
    const second = await idOf(
      '# moved\ncost,channel,date,currency,revenue\n"+10.000",Google,2024-01-07T05:00:00Z,eur,\n5,Meta,2024-01-07,USD,-1\n5.0,TikTok,2024-01-07,€,1.00\n5,Bing,2024-01-07,,0\n1,Reddit,2024-01-07,,\n',
    );
    expect(first).toMatch(/^[0-9a-f]{8}-/);
    expect(await storedRows(service, asset)).toMatchObject([
      { channel: 'Bing', import_id: second, line: 5, revenue: '0.000000' },
      { channel: 'Google', import_id: first, line: 2, currency: 'EUR' },
      { channel: 'Meta', import_id: second, line: 3, revenue: null },
      { channel: 'Reddit', import_id: second, line: 6 },
      { channel: 'TikTok', import_id: first, line: 4, revenue: '1.000000' },
    ]);
  });

  it('a later row of the file that goes back to what is stored changes nothing', async () => {
    const first = await idOf('date,channel,cost\n2024-01-07,Google,10\n');
    await idOf('date,channel,cost\n2024-01-07,Google,11\n2024-01-07,Google,10\n');
    expect(await storedRows(service, asset)).toMatchObject([{ import_id: first, line: 2, cost: '10.000000' }]);
  });

  it('keys differ by case, by spelling of a letter, and by where a text stands', async () => {
    const file =
      'date,channel,source,campaign,cost\n2024-01-07,Google,a,,1\n2024-01-07,google,a,,2\n2024-01-07,Google,,a,3\n2024-01-07,Google,\u00e9,,4\n2024-01-07,Google,e\u0301,,5\n2024-01-08,Google,a,,6\n';
    expect(await importFile(service, asset, file)).toMatchObject({ inserted: 6, updated: 0 });
    expect(await importFile(service, asset, file)).toMatchObject({ inserted: 0, updated: 6 });
    expect((await storedRows(service, asset)).map(({ cost }) => cost).sort()).toEqual(
      [1, 2, 3, 4, 5, 6].map((cost) => `${cost}.000000`),
    );
  });
});
