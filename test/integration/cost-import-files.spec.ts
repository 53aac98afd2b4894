import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { codesOf, importFile, importRows, refused, storedRows } from '../fixtures/cost-import-client.js';
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

async function nothingStored(): Promise<void> {
  expect(await storedRows(service, asset)).toEqual([]);
}

const ROW = {
  line: 2,
  date: '2024-01-07',
  channel: 'Google',
  source: 's',
  campaign: 'c',
  cost: '1.500000',
  currency: 'EUR',
  revenue: '2.000000',
};

describe('the columns of a file', () => {
  it.each([
    ['stand in any order', 'revenue,currency,cost,campaign,source,channel,date\n2,EUR,1.5,c,s,Google,2024-01-07\n'],
    [
      'are named in any case and trimmed',
      ' DATE , Channel,SOURCE,\tcampaign ,Cost,CURRENCY,Revenue\n2024-01-07,Google,s,c,1.5,EUR,2\n',
    ],
    [
      'may be quoted',
      '"date","channel","source","campaign","cost","currency","revenue"\n2024-01-07,Google,s,c,1.5,EUR,2\n',
    ],
    ['may be named by alias', 'Week,channel,source,campaign,SPEND,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,2\n'],
    [
      'may be named week_ending',
      'week_ending,channel,source,campaign,spend,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,2\n',
    ],
    [
      'take the canonical name before its alias',
      'week,spend,date,channel,source,campaign,cost,currency,revenue\n1999-01-01,9,2024-01-07,Google,s,c,1.5,EUR,2\n',
    ],
    [
      'take the canonical name also when the alias comes later',
      'date,channel,source,campaign,cost,currency,revenue,spend,week\n2024-01-07,Google,s,c,1.5,EUR,2,9,1999-01-01\n',
    ],
    [
      'count the first of two equal names',
      'date,channel,source,campaign,cost,currency,revenue,cost,DATE,Channel\n2024-01-07,Google,s,c,1.5,EUR,2,9,1999-01-01,x\n',
    ],
    [
      'count the first of two aliases',
      'week,week_ending,channel,source,campaign,cost,currency,revenue\n2024-01-07,1999-01-01,Google,s,c,1.5,EUR,2\n',
    ],
    [
      'may be more than are known',
      'id,date,clicks,channel,,source,campaign,cost,currency,revenue,toString\n1,2024-01-07,7,Google,x,s,c,1.5,EUR,2,y\n',
    ],
    [
      'may be separated by semicolons',
      'date;channel;source;campaign;cost;currency;revenue\n2024-01-07;Google;s;c;1.5;EUR;2\n',
    ],
    [
      'may be separated by tabs',
      'date\tchannel\tsource\tcampaign\tcost\tcurrency\trevenue\n2024-01-07\tGoogle\ts\tc\t1.5\tEUR\t2\n',
    ],
    [
      'may be followed by further cells',
      'date,channel,source,campaign,cost,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,2,3,4,5\n',
    ],
    [
      'begin after a byte-order mark',
      '\uFEFFdate,channel,source,campaign,cost,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,2\n',
    ],
    [
      'begin after a byte-order mark and a comment',
      '\uFEFF# note, "quoted\ndate,channel,source,campaign,cost,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,2\n',
    ],
    ['end with CR LF', 'date,channel,source,campaign,cost,currency,revenue\r\n2024-01-07,Google,s,c,1.5,EUR,2\r\n'],
    ['need no final line end', 'date,channel,source,campaign,cost,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,2'],
    [
      'need no final line end after a quote',
      'date,channel,source,campaign,cost,currency,revenue\n2024-01-07,Google,s,c,1.5,EUR,"2"',
    ],
    [
      'survive quotes in comments',
      '#"\n# it\'s "a\ndate,channel,source,campaign,cost,currency,revenue\n#"""\n2024-01-07,Google,s,c,1.5,EUR,2\n#"',
    ],
    [
      'survive empty lines',
      '\n\r\n\ndate,channel,source,campaign,cost,currency,revenue\n\n\r\n2024-01-07,Google,s,c,1.5,EUR,2\n\n\n',
    ],
  ])('%s', async (_name, file) => {
    expect(await importFile(service, asset, file)).toMatchObject({ total: 1, inserted: 1, errors: [], warnings: [] });
    expect(await storedRows(service, asset)).toMatchObject([ROW]);
  });

  it.each([
    ['without a header is read by position', '2024-01-07,Google,s,c,1.5,EUR,2\n'],
    ['with only a channel name has no header', 'channel,source\n2024-01-07,Google,s,c,1.5,EUR,2\n'],
    ['with semicolons and no header is read by position', '2024-01-07;Google;s;c;1.5;EUR;2\n'],
  ])('a file %s', async (_name, file) => {
    await importFile(service, asset, file);
    expect(await storedRows(service, asset)).toMatchObject([{ ...ROW, line: file.startsWith('channel') ? 2 : 1 }]);
  });

  it.each([
    [
      'a date name alone makes a header',
      'week,Google\n2024-01-07,Google\n',
      ['2 channel missing_channel', '2 cost invalid_cost'],
    ],
    ['a cost name alone makes a header', 'spend\n5\n', ['2 date missing_date', '2 channel missing_channel']],
    [
      'a short row has empty cells at its end',
      'date,channel,cost\n2024-01-07,Google\n2024-01-07\n',
      ['2 cost invalid_cost', '3 channel missing_channel', '3 cost invalid_cost'],
    ],
    [
      'names in part do not count',
      'my date,cost_usd\n1,2\n',
      ['1 date invalid_date', '1 cost invalid_cost', '2 date invalid_date', '2 cost invalid_cost'],
    ],
  ])('%s', async (_name, file, codes) => {
    expect(codesOf((await importFile(service, asset, file)).errors)).toEqual(codes);
  });

  it('a separator in quotes does not decide, a comma outside of them does', async () => {
    await importFile(service, asset, '"date";"channel";"cost";"a,b"\n2024-01-07;Google, Inc;1;x\n');
    expect(await storedRows(service, asset)).toMatchObject([{ channel: 'Google, Inc' }]);
    await importFile(service, asset, 'date,channel,cost,a;b;c;d\n2024-01-08,Google; Inc,1,x\n');
    expect(await storedRows(service, asset)).toMatchObject([{}, { channel: 'Google; Inc' }]);
  });
});

describe('a # begins a comment only as the first byte of a record', () => {
  it.each([
    [
      'inside a quoted field that spans lines it is data',
      'date,channel,cost,source\n2024-01-07,Google,1,"a\n#b\n# c"\n',
      'a\n#b\n# c',
    ],
    ['in a later cell it is data', 'date,channel,cost,source\n2024-01-07,Google,1,#b\n', '#b'],
    ['a quoted first cell is data', 'source,date,channel,cost\n"#x",2024-01-07,Google,1\n', '#x'],
    ['a blank before it makes it data', 'source,date,channel,cost\n #x,2024-01-07,Google,1\n', '#x'],
  ])('%s', async (_name, file, source) => {
    expect(await importFile(service, asset, file)).toMatchObject({ total: 1, inserted: 1 });
    expect(await storedRows(service, asset)).toMatchObject([{ source }]);
  });
});

const GOOD = 'date,channel,cost\n2024-01-07,Google,1\n';

describe('a quote in the wrong place is malformed_csv, says where, and nothing is written', () => {
  it.each<[string, string, number, number]>([
    ['opened and never closed', `${GOOD}2024-01-08,"Google,1\n2024-01-09,Meta,1\n`, 3, 3],
    ['inside a plain cell', `${GOOD}2024-01-08,Goo"gle,1\n`, 3, 3],
    ['followed by text', `${GOOD}2024-01-08,"Goo"gle,1\n`, 3, 3],
    ['after a blank', `# c\n\n${GOOD}2024-01-08, "Google",1\n`, 3, 5],
    ['in the header', '"date,channel,cost\n2024-01-08,Google,1\n', 1, 1],
    [
      'behind many good lines',
      `${GOOD}${'2024-01-08,Google,1\n'.repeat(20_000)}2024-01-08,"Goo"gle,1\n`,
      20_003,
      20_003,
    ],
    ['a lone carriage return', `${GOOD}2024-01-08,Goo\rgle,1\n`, 3, 3],
    ['a record without end', `${GOOD}2024-01-08,"${'x'.repeat(70_000)}",1\n`, 3, 3],
  ])('%s', async (_name, file, line, fileLine) => {
    const { status, body } = await refused(service, asset, file);
    expect(body).toMatchObject({
      status: 400,
      code: 'malformed_csv',
      line,
      file_line: fileLine,
      instance: '/api/v1/cost-import',
    });
    expect(status).toBe(400);
    await nothingStored();
  });
});

describe('what is no UTF-8 is invalid_encoding, and nothing is written', () => {
  it.each([
    ['UTF-16 LE', Buffer.from(`\uFEFF${GOOD}`, 'utf16le')],
    ['UTF-16 BE', Buffer.from(`\uFEFF${GOOD}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(GOOD, 'utf16le')],
    ['Latin-1', Buffer.from(`${GOOD}2024-01-08,Café,1\n`, 'latin1')],
    ['Latin-1 in a comment', Buffer.from(`# Café\n${GOOD}`, 'latin1')],
    ['NUL', Buffer.from(`${GOOD}2024-01-08,Goo\0gle,1\n`)],
    [
      'an encoded surrogate',
      Buffer.concat([Buffer.from(`${GOOD}2024-01-08,`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(',1\n')]),
    ],
    [
      'a cut character at the end',
      Buffer.concat([Buffer.from(`${GOOD}2024-01-08,Google,1,`), Buffer.from([0xf0, 0x9f])]),
    ],
    ['an overlong slash', Buffer.concat([Buffer.from(`${GOOD}2024-01-08,`), Buffer.from([0xc0, 0xaf])])],
  ])('%s', async (_name, file) => {
    expect((await refused(service, asset, file)).body).toMatchObject({ status: 400, code: 'invalid_encoding' });
    await nothingStored();
  });
});

describe('gzip', () => {
  const gzip = { 'Content-Encoding': 'gzip' };

  it('is inflated, also in several members', async () => {
    await importFile(service, asset, gzipSync(GOOD), gzip);
    await importFile(service, asset, Buffer.concat([gzipSync(GOOD), gzipSync('2024-01-08,Google,1\n')]), {
      'Content-Encoding': 'GZIP',
    });
    expect(await storedRows(service, asset)).toHaveLength(2);
  });

  it.each([
    ['cut', gzipSync(GOOD).subarray(0, -3)],
    ['cut in the head', gzipSync(GOOD).subarray(0, 5)],
    ['plain text', Buffer.from(GOOD)],
    ['with a wrong checksum', Buffer.concat([gzipSync(GOOD).subarray(0, -8), Buffer.alloc(8, 7)])],
    ['with a cut second member', Buffer.concat([gzipSync(GOOD), gzipSync('2024-01-08,Google,1\n').subarray(0, -4)])],
  ])('%s is invalid_encoding', async (_name, body) => {
    expect((await refused(service, asset, body, { headers: gzip })).body).toMatchObject({
      status: 400,
      code: 'invalid_encoding',
    });
    await nothingStored();
  });

  it('of nothing is empty_file', async () => {
    for (const body of [gzipSync(''), Buffer.alloc(0)])
      expect((await refused(service, asset, body, { headers: gzip })).body.code).toBe('empty_file');
  });

  it('that inflates over the cap is body_too_large', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, '#'));
    expect((await refused(service, asset, bomb, { headers: gzip })).body).toMatchObject({
      status: 413,
      code: 'body_too_large',
      max_bytes: 8_388_608,
    });
    const exact = gzipSync(Buffer.concat([Buffer.from(GOOD), Buffer.alloc(8_388_608 - GOOD.length, '#')]));
    expect(await importFile(service, asset, exact, gzip)).toMatchObject({ inserted: 1 });
  });
});

describe('a file without a row is empty_file', () => {
  it.each([
    '',
    '\uFEFF',
    '\n',
    '\r\n\r\n',
    '# only\n# comments',
    '\uFEFF# one\n\n',
    'date,channel,cost\n',
    'date,channel,cost',
    '# c\n\ndate,channel,cost\n\n# d\n',
    'spend',
  ])('%j', async (file) => {
    expect((await refused(service, asset, file)).body).toMatchObject({ status: 400, code: 'empty_file' });
  });

  it.each(['{"rows":[]}', '{"rows" : [ ] , "x":[{"date":1}]}', ''])('%j as JSON', async (file) => {
    expect(
      (await refused(service, asset, file, { headers: { 'Content-Type': 'application/json' } })).body,
    ).toMatchObject({ status: 400, code: 'empty_file' });
  });

  it('one row of JSON is enough, whatever it is', async () => {
    expect(await importRows(service, asset, [null])).toMatchObject({ total: 1, skipped: 1 });
  });
});
