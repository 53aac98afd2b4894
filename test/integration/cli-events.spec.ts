import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run, type Outcome } from '#apps/cli/src/run.js';
import type { CollectReport } from '#contracts/collect/collect-report.js';
import { EventBus, type OutgoingMessage } from '#messaging/event-bus.js';
import { anEvent, countedRecords, ndjson, verdicts } from '../fixtures/collect-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;
let home: string;
let sent: OutgoingMessage[];

beforeAll(async () => {
  service = await startService();
  // What is loaded is looked at here and goes no further.
  const publish: EventBus['publish'] = (messages) => {
    sent.push(...messages);
    return Promise.resolve();
  };
  Object.assign(service.app.get(EventBus), { durable: true, publish });
});

beforeEach(async () => {
  asset = await service.newAsset();
  home = mkdtempSync(join(tmpdir(), 'tallyport-cli-'));
  sent = [];
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

afterAll(async () => {
  await service.stop();
});

function file(name: string, content: string | Buffer): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

const env = (): NodeJS.ProcessEnv => ({
  TALLYPORT_HOME: home,
  TALLYPORT_URL: service.baseUrl,
  TALLYPORT_TOKEN: asset.token,
});

function load(args: string[], settings = env()): Promise<Outcome> {
  return run(['events', 'load', ...args], settings);
}

/** The report of a file that is expected to be loaded. */
async function loaded(args: string[], settings = env()): Promise<CollectReport> {
  const { code, stdout, stderr } = await load([...args, '--json'], settings);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as CollectReport;
}

/** The one sentence of a load that fails. */
async function failure(args: string[], settings = env()): Promise<string> {
  const { code, stdout, stderr } = await load([...args, '--json'], settings);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr.trim();
}

function records(): Record<string, unknown>[] {
  return sent.flatMap(
    ({ value }) => (JSON.parse(value) as { data: { records: Record<string, unknown>[] } }).data.records,
  );
}

describe('a file of NDJSON', () => {
  it('ends with the counts and the first lines that are bad, for a person and for a program', async () => {
    const path = file(
      'a.ndjson',
      `\ufeff${ndjson([anEvent({ ip: 'x' })])}\r\n\r\n{"a":1}\r\nno json\n${ndjson([anEvent()])}`,
    );
    const report = await loaded([path]);
    expect(report).toMatchObject({ accepted: 2, rejected: 2, ip_dropped: 1 });
    expect(verdicts(report)).toEqual(['4 event_id missing_field', '5  invalid_json']);
    const { code, stdout, stderr } = await load([path]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        '2 accepted, 2 rejected.',
        'In 1 of the accepted the IP address was none and is kept empty.',
        'LINE  FIELD     CODE           REASON',
        '4     event_id  missing_field  event_id is missing.',
        '5               invalid_json   The line is no JSON object.',
        '',
      ].join('\n'),
    );
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 4 });
  });

  it('is sent in pieces, and bad lines are those of the file', async () => {
    const lines = Array.from({ length: 45_000 }, () => JSON.stringify(anEvent()));
    for (const line of [1, 20_000, 20_001, 40_000, 44_999]) lines[line - 1] = '{}';
    const report = await loaded([file('a.jsonl', lines.join('\n'))]);
    expect(report).toMatchObject({ accepted: 44_995, rejected: 5 });
    expect(report.errors.map(({ line }) => line)).toEqual([1, 20_000, 20_001, 40_000, 44_999]);
    expect(records()).toHaveLength(44_995);
  });

  it('may have lines of any length, in pieces under 8 MB', async () => {
    const wide = JSON.stringify(anEvent({ more: 'x'.repeat(1_000_000) }));
    const huge = JSON.stringify(anEvent({ more: 'x'.repeat(9_000_000) }));
    const report = await loaded([file('a', [...new Array<string>(17).fill(wide), huge, wide].join('\n'))]);
    expect(report).toMatchObject({ accepted: 18, rejected: 1, errors: [{ line: 18, code: 'invalid_json' }] });
  });

  it('may be gzip under any name', async () => {
    const body = gzipSync(ndjson([anEvent(), anEvent()]));
    for (const name of ['a.ndjson.gz', 'a.ndjson', 'a'])
      expect(await loaded([file(name, body)])).toMatchObject({ accepted: 2 });
  });

  it('names no more than 20 bad lines to a person', async () => {
    const { stdout } = await load([file('a.ndjson', '{}\n'.repeat(25))]);
    expect(stdout.split('\n')).toHaveLength(24);
    expect(stdout).toMatch(/^0 accepted, 25 rejected\.\n[^]*\n20 .*\n… and 5 more\.\n$/);
  });
});

describe('a CSV file', () => {
  it('names its columns like the fields, in any order and case; others and empty cells are absent', async () => {
    const csv = [
      '# made by hand',
      ' Distinct_ID ,comment,event_time,EVENT_TYPE,event_id,value,currency,page_path,event_id',
      'v-1,hello,2026-11-20T10:00:00Z,conversion,e-1,12.50,eur,"/a,""b""\n",ignored',
      '',
      'v-2,,yesterday,page_view,e-2,,,',
      'v-3,,2026-11-20T10:00:00Z,page_view,e-3',
    ].join('\n');
    const report = await loaded([file('a.csv', csv)]);
    expect(report).toMatchObject({ accepted: 2, rejected: 1 });
    // The quoted cell above spans two lines.
    expect(verdicts(report)).toEqual(['6 event_time invalid_value']);
    expect(records()).toEqual([
      { distinct_id: 'v-1', event_time: '2026-11-20T10:00:00Z', event_type: 'conversion', event_id: 'e-1', value: '12.50', currency: 'EUR', page_path: '/a,"b"\n' },
      { distinct_id: 'v-3', event_time: '2026-11-20T10:00:00Z', event_type: 'page_view', event_id: 'e-3' },
    ]); // prettier-ignore
  });

  it('of consent or identities has lists with spaces between, or as JSON', async () => {
    const consent =
      'consent_id;consent_at;action;accepted;rejected\nc-1;2026-01-05T08:00:00Z;accept; analytics  ads ;"[""a b""]"\n';
    expect(await loaded([file('c', consent), '--kind', 'consent'])).toMatchObject({ accepted: 1 });
    const people = 'global_user_id,distinct_ids,email\nu-1,v-1 v-2,a@example.com\nu-2,[v\n';
    expect(await loaded([file('p', gzipSync(people)), '--kind', 'identities'])).toMatchObject({ accepted: 2 });
    expect(records()).toEqual([
      expect.objectContaining({ consent_id: 'c-1', accepted: ['analytics', 'ads'], rejected: ['a b'] }),
      { global_user_id: 'u-1', distinct_ids: ['v-1', 'v-2'], email: 'a@example.com' },
      { global_user_id: 'u-2', distinct_ids: ['[v'] },
    ]);
    expect(await countedRecords(service, asset)).toEqual({ 'consent.recorded.v1': 1, 'users.identified.v1': 2 });
  });

  it('needs the columns of its kind, and must be CSV', async () => {
    const path = file('a.csv', 'event_id,event_type\n1,2\n');
    expect(await failure([path])).toBe(
      'The header of the CSV file lacks the columns event_time, distinct_id of events.',
    );
    expect(await failure([path, '--kind', 'identities'])).toMatch(/lacks the columns global_user_id of identities\.$/);
    const broken = 'event_id,event_time,event_type,distinct_id\n1,"2\n';
    expect(await failure([file('b.csv', broken)])).toMatch(
      /b\.csv can't be read as CSV: .*never closed: line 2 of the file, record 2\.$/,
    );
  });

  it('that breaks off says what was accepted before', async () => {
    const rows = Array.from({ length: 24_000 }, (_, row) => `e-${row},2026-11-20T10:00:00Z,page_view,v-${row}\n`);
    const path = file('a.csv', `event_id,event_time,event_type,distinct_id\n${rows.join('')}e,"x\n`);
    expect(await failure([path])).toMatch(
      /: .*\. 20000 records were accepted before; load the file again, nothing counts twice\.$/,
    );
  });
});

describe('what can not be loaded is one sentence', () => {
  it.each([
    ['no.ndjson', undefined, /^There is no file .*no\.ndjson\.$/],
    ['empty', '', /empty has nothing to load\.$/],
    ['lines', '\n\n  \n', /lines has nothing to load\.$/],
    ['header.csv', 'event_id,event_time,event_type,distinct_id\n', /header\.csv has nothing to load\.$/],
    ['broken.gz', gzipSync('{}').subarray(0, 12), /broken\.gz is not valid gzip\.$/],
    ['utf16.ndjson', Buffer.from('\ufeff{}\n', 'utf16le'), /answered 400: The body is UTF-16; send it as UTF-8\.$/],
    ['.', undefined, /is a directory\.$/],
  ])('%s', async (name, content, sentence) => {
    const path = content === undefined ? join(home, name) : file(name, content);
    expect(await failure([path])).toMatch(sentence);
  });
});

describe('the gateway and the token', () => {
  const path = (): string => file('a.ndjson', ndjson([anEvent()]));

  it('come from credentials.json, with the asset', async () => {
    const other = await service.newAsset();
    const principal = `of two ${asset.assetId}`;
    for (const { assetId } of [asset, other]) await service.admin.addMember(assetId, principal, ['events:write']);
    const { token } = await service.admin.createToken(principal);
    const credentials = { base_url: service.baseUrl, token, asset_id: other.assetId, database_url: 'x' };
    file('credentials.json', JSON.stringify(credentials));
    expect(await loaded([path()], { TALLYPORT_HOME: home })).toMatchObject({ accepted: 1 });
    expect(await countedRecords(service, other)).toEqual({ 'events.collected.v1': 1 });
    expect(await loaded([path(), '--asset', asset.assetId], { TALLYPORT_HOME: home })).toMatchObject({ accepted: 1 });
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 1 });
    expect(await failure([path(), '--token', token])).toMatch(/answered 400: The token sees 2 assets/);
  });

  it('come from options before variables', async () => {
    const settings = { ...env(), TALLYPORT_URL: 'http://127.0.0.1:1', TALLYPORT_TOKEN: 'x' };
    const options = ['--url', `${service.baseUrl}/`, '--token', asset.token];
    expect(await loaded([path(), ...options], settings)).toMatchObject({ accepted: 1 });
  });

  it('must be somewhere, and a kept token goes to its own address alone', async () => {
    const settings = { TALLYPORT_HOME: home };
    expect(await failure([path()], settings)).toMatch(
      /^There is no address of the gateway: give --url or TALLYPORT_URL/,
    );
    file('credentials.json', JSON.stringify({ base_url: service.baseUrl, token: asset.token }));
    expect(await failure([path(), '--url', 'http://127.0.0.1:1'], settings)).toMatch(/^There is no token for http:/);
    expect(await loaded([path(), '--url', `${service.baseUrl}/`], settings)).toMatchObject({ accepted: 1 });
    expect(await failure([path(), '--url', 'nowhere', '--token', 'x'], settings)).toMatch(/^nowhere is no address/);
    file('credentials.json', '{');
    expect(await failure([path()], settings)).toMatch(/credentials\.json can't be read/);
  });

  it('that refuses is quoted', async () => {
    const reader = await service.newToken(asset.assetId, ['events:read']);
    expect(await failure([path(), '--token', reader])).toMatch(
      /answered 403: This needs the permission events:write for the asset\.$/,
    );
    expect(await failure([path(), '--token', 'nonsense'])).toMatch(/answered 401: /);
  });
});

describe('what passes by', () => {
  let proxy: Server;
  let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let bodies: string[];

  beforeEach(async () => {
    answers = [];
    bodies = [];
    proxy = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString());
        answers.shift()?.(request, response);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    proxy.close();
    proxy.closeAllConnections();
  });

  const url = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const busy = (status: number) => (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'Retry-After': '0' }).end('{"detail":"Later."}');
  };
  const done = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(202).end('{"accepted":1,"rejected":0,"ip_dropped":0,"errors":[]}');
  };

  it('is tried again with the same body: a busy gateway, one that is away, a connection that breaks', async () => {
    answers = [busy(429), busy(503), (request) => request.socket.destroy(), busy(503), done];
    const event = ndjson([anEvent()]);
    expect(await loaded([file('a', event), '--url', url()])).toMatchObject({ accepted: 1 });
    expect(bodies).toEqual(new Array(5).fill(event));
  });

  it('is not tried for ever', async () => {
    answers = new Array<() => void>(9).fill(busy(503) as () => void);
    expect(await failure([file('a', ndjson([anEvent()])), '--url', url()])).toMatch(/answered 503: Later\.$/);
    expect(bodies).toHaveLength(5);
  });

  it('a gateway that is not there at all is named', async () => {
    const gone = url();
    await new Promise((resolve) => proxy.close(resolve));
    const sentence = await failure([file('a', ndjson([anEvent()])), '--url', gone]);
    expect(sentence).toBe(`The gateway at ${gone} can't be reached (ECONNREFUSED).`);
  }, 20_000);
});
