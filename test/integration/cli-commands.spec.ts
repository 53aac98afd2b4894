import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { run, type Outcome } from '#apps/cli/src/run.js';
import { AccessService } from '#apps/gateway/src/access/access.service.js';
import { PERMISSIONS } from '#contracts/permissions.js';
import { createDataSource } from '#database/data-source.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const NO_ASSET = '00000000-0000-7000-8000-000000000000';

interface Asset {
  asset_id: string;
  name: string;
  timezone: string;
  currency: string;
}

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 3 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const inProcess = (...args: string[]): Promise<Outcome> => run(args, { DATABASE_URL: database.url });

/** The answer of a command that must succeed with `--json`. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await inProcess(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

/** The sentence of a command that must fail, and its exit code; nothing may be on stdout. */
async function failure(...args: string[]): Promise<[number, string]> {
  const { code, stdout, stderr } = await inProcess(...args);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return [code, stderr.trim()];
}

const newAsset = (): Promise<Asset> =>
  json('asset', 'create', '--name', 'Shop', '--timezone', 'Europe/Berlin', '--currency', 'eur');

describe('asset', () => {
  it('lists assets as a table, and control characters do not reach the terminal', async () => {
    const asset = await json<Asset>(
      'asset',
      'create',
      '--name',
      'Red \u001b[31m Shop',
      '--timezone',
      'UTC',
      '--currency',
      'USD',
    );
    const { code, stdout } = await inProcess('asset', 'list');
    expect(code).toBe(0);
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^ASSET +NAME +TIME ZONE +CURRENCY +CREATED$/);
    const row = rows.find((line) => line.startsWith(asset.asset_id));
    expect(row?.slice(header?.indexOf('TIME ZONE'))).toMatch(/^UTC +USD +\d{4}-/);
    expect(stdout).not.toContain('\u001b');
    expect(await json<Asset[]>('asset', 'list')).toContainEqual(asset);
  });

  it.each([
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['europe/kyiv', 'Europe/Kyiv'],
  ])('keeps the time zone %s by the name it was given', async (given, timezone) => {
    const asset = await json<Asset>('asset', 'create', '--name', 'Shop', '--timezone', given, '--currency', 'EUR');
    expect(asset.timezone).toBe(timezone);
  });

  it('refuses a bad time zone, a bad currency and an empty name', async () => {
    const create = (name: string, timezone: string, currency: string) =>
      failure('asset', 'create', '--name', name, '--timezone', timezone, '--currency', currency);
    expect(await create('x', 'Mars/Olympus', 'EUR')).toEqual([
      1,
      '"Mars/Olympus" is not a time zone: give an IANA name such as Europe/Berlin.',
    ]);
    expect((await create('x', 'UTC', 'euro'))[0]).toBe(1);
    expect((await create(' ', 'UTC', 'EUR'))[0]).toBe(1);
  });
});

describe('member', () => {
  it('restricts, lifts the restrictions with an empty list, and removes', async () => {
    const { asset_id } = await newAsset();
    const who = ['--asset', asset_id.toUpperCase(), '--principal', 'bert'];
    await json('member', 'add', ...who, '--permissions', 'reports:read');
    const restrict = (list: string) =>
      json<{ restrictions: string[] }>('member', 'restrict', ...who, '--restrictions', list);
    expect((await restrict('raw_data, cost_data,raw_data')).restrictions).toEqual(['raw_data', 'cost_data']);
    const again = await json('member', 'add', ...who, '--permissions', 'cost:read');
    expect(again).toMatchObject({ permissions: ['cost:read'], restrictions: ['raw_data', 'cost_data'] });
    expect((await restrict('')).restrictions).toEqual([]);
    expect(await json('member', 'remove', ...who)).toMatchObject({ asset_id, principal: 'bert' });
    expect(await failure('member', 'remove', ...who)).toEqual([
      1,
      `"bert" is no member of the asset ${asset_id.toUpperCase()}.`,
    ]);
  });

  it('names what it does not know', async () => {
    const { asset_id } = await newAsset();
    const add = (asset: string, permission: string) =>
      failure('member', 'add', '--asset', asset, '--principal', 'carl', '--permissions', permission);
    expect(await add(asset_id, 'cost:write,root')).toEqual([
      1,
      `"root" is no permission: choose from ${PERMISSIONS.join(', ')}.`,
    ]);
    expect(await add(NO_ASSET, 'cost:read')).toEqual([1, `There is no asset ${NO_ASSET}.`]);
    expect(await add('shop', 'cost:read')).toEqual([1, 'There is no asset shop.']);
    const restrict = ['member', 'restrict', '--asset', asset_id, '--principal', 'nobody', '--restrictions'];
    expect((await failure(...restrict, 'raw_data'))[1]).toContain('"nobody" is no member');
    expect((await failure(...restrict, 'weather'))[1]).toContain('"weather" is no restriction');
  });
});

describe('token', () => {
  beforeAll(async () => {
    const { asset_id } = await newAsset();
    await json('member', 'add', '--asset', asset_id, '--principal', 'dora', '--permissions', 'cost:read');
  });

  it('shows the token once and stores only a hash of its secret', async () => {
    const { code, stdout } = await inProcess('token', 'create', '--principal', 'dora');
    expect(code).toBe(0);
    const [token = '', ...rest] = stdout.trimEnd().split('\n');
    expect(rest.join(' ')).toContain('shown only once');
    const [, id = '', secret = ''] = /^tp_([a-z0-9]{16})_([\w-]{43})$/.exec(token) ?? [];
    const [row] = await dataSource.query<{ text: string; secret_sha256: Buffer }[]>(
      'SELECT t::text AS text, secret_sha256 FROM access.api_token t WHERE token_id = $1',
      [id],
    );
    expect(row?.secret_sha256).toEqual(createHash('sha256').update(secret).digest());
    expect(row?.text).not.toContain(secret);
    const lists = [await inProcess('token', 'list'), await inProcess('token', 'list', '--json')];
    for (const listed of lists) {
      expect(listed.stdout).toContain(id);
      expect(listed.stdout).not.toContain(secret);
    }
  });

  it('lets a token expire and revokes one at once', async () => {
    const access = new AccessService(dataSource);
    const create = (...more: string[]) =>
      json<{ token: string; token_id: string; expires_at: string }>('token', 'create', '--principal', 'dora', ...more);
    const month = await create('--expires', '30');
    expect(Math.round((Date.parse(month.expires_at) - Date.now()) / 86_400_000)).toBe(30);
    const moment = await create('--expires', '0.000001');
    await new Promise((later) => setTimeout(later, 200));
    expect(await access.authenticate(moment.token)).toBeUndefined();

    expect(await access.authenticate(month.token)).toBeDefined();
    const revoked = await json<{ revoked_at: string }>('token', 'revoke', month.token_id);
    expect(revoked).toMatchObject({ token_id: month.token_id, principal: 'dora' });
    expect(await access.authenticate(month.token)).toBeUndefined();
    expect(await json('token', 'revoke', month.token_id)).toEqual(revoked);
    const { stdout } = await inProcess('token', 'list');
    const stateOf = (id: string) => stdout.split('\n').find((line) => line.startsWith(id));
    expect(stateOf(month.token_id)).toMatch(/ revoked \d{4}-/);
    expect(stateOf(moment.token_id)).toMatch(/ expired \d{4}-/);
  });

  it('knows neither a principal nor a token that does not exist', async () => {
    expect((await failure('token', 'create', '--principal', 'ghost'))[0]).toBe(1);
    expect(await failure('token', 'revoke', 'none')).toEqual([1, 'There is no token none.']);
  });
});

describe('mapping', () => {
  it('holds one mapping for names that read alike, spelled as given last', async () => {
    const { asset_id } = await newAsset();
    const other = await newAsset();
    const set = (name: string, family: string, asset = asset_id) =>
      json('mapping', 'set', '--asset', asset, '--name', name, '--family', family);
    expect(await set('Häuser-Funk', 'radio')).toEqual({ asset_id, name: 'Häuser-Funk', family: 'radio' });
    await set('Zebra', 'other');
    await set('Häuser-Funk', 'audio', other.asset_id);
    await set(' HAUSER  funk ', 'tv');
    const list = () => json('mapping', 'list', '--asset', asset_id);
    expect(await list()).toEqual([
      { asset_id, name: 'HAUSER  funk', family: 'tv' },
      { asset_id, name: 'Zebra', family: 'other' },
    ]);
    expect((await inProcess('mapping', 'list', '--asset', asset_id)).stdout).toBe(
      'NAME          FAMILY\nHAUSER  funk  tv\nZebra         other\n',
    );
    const removed = await json('mapping', 'remove', '--asset', asset_id, '--name', 'häuser funk');
    expect(removed).toEqual({ asset_id, name: 'HAUSER  funk', family: 'tv' });
    expect(await list()).toHaveLength(1);
    expect(await json('mapping', 'list', '--asset', other.asset_id)).toHaveLength(1);
    const gone = await failure('mapping', 'remove', '--asset', asset_id, '--name', 'häuser funk');
    expect(gone).toEqual([1, `"häuser funk" is not mapped in the asset ${asset_id}.`]);
  });

  it('keeps one of several alike names that are set at the same time', async () => {
    const { asset_id } = await newAsset();
    const names = ['Haus Funk', 'haus funk', 'HAUS-FUNK', 'haus_funk'];
    await Promise.all(
      names.map((name) => json('mapping', 'set', '--asset', asset_id, '--name', name, '--family', 'tv')),
    );
    expect(await json('mapping', 'list', '--asset', asset_id)).toHaveLength(1);
  });

  it('refuses an unknown family, an unknown asset and a name without letters', async () => {
    const { asset_id } = await newAsset();
    const set = (asset: string, name: string, family: string) =>
      failure('mapping', 'set', '--asset', asset, '--name', name, '--family', family);
    expect((await set(asset_id, 'x', 'carrier pigeon'))[1]).toContain(
      '"carrier pigeon" is no family: choose from search, ',
    );
    expect(await set(NO_ASSET, 'x', 'tv')).toEqual([1, `There is no asset ${NO_ASSET}.`]);
    expect((await set(asset_id, '---', 'tv'))[0]).toBe(1);
    expect((await set(asset_id, 'x'.repeat(257), 'tv'))[0]).toBe(1);
  });
});

describe('dlq on the in-process bus', () => {
  async function newLetter(topic: string, value: string): Promise<string> {
    const id = uuidv7();
    const headers = {
      'x-error-code': 'invalid_message',
      'x-error-message': 'not an envelope',
      'x-consumer': 'import-worker',
      traceparent: '00-1',
    };
    await dataSource.query(
      'INSERT INTO messaging.dead_letter (id, topic, key, value, headers) VALUES ($1, $2, $3, $4, $5)',
      [id, topic, 'key', value, headers],
    );
    return id;
  }

  it('lists letters newest first and hands each once to the outbox of the running service', async () => {
    const [older, newer, other] = [
      await newLetter('t.v1', '{"a":1}'),
      await newLetter('t.v1', 'no json'),
      await newLetter('u.v1', '{}'),
    ];
    const list = (...more: string[]) => json<{ id: string }[]>('dlq', 'list', '--topic', 't.v1', ...more);
    expect(await list()).toEqual([
      expect.objectContaining({
        id: newer,
        topic: 't.v1',
        code: 'invalid_message',
        reason: 'not an envelope',
        value: 'no json',
      }),
      expect.objectContaining({ id: older, consumer: 'import-worker', key: 'key' }),
    ]);
    expect((await list('--limit', '1')).map(({ id }) => id)).toEqual([newer]);
    expect((await inProcess('dlq', 'list')).stdout).toContain(other);

    expect(await json('dlq', 'replay', '--topic', 't.v1')).toEqual({ replayed: 2 });
    expect(await list()).toEqual([]);
    expect((await inProcess('dlq', 'list', '--topic', 't.v1')).stdout).toBe('There are no dead letters.\n');
    expect(await json('dlq', 'replay', '--topic', 't.v1')).toEqual({ replayed: 0 });
    const waiting = () =>
      dataSource.query<{ value: string; key: string; headers: object }[]>(
        `SELECT payload #>> '{}' AS value, key, headers FROM access.outbox WHERE topic = 't.v1' ORDER BY created_at, id`,
      );
    expect((await waiting()).map(({ value }) => value).sort()).toEqual(['no json', '{"a":1}']);
    expect(await json('dlq', 'replay', older)).toEqual({ replayed: 1 });
    expect(await waiting()).toHaveLength(3);
    expect((await waiting())[0]?.headers).toEqual({ traceparent: '00-1' });
  });

  it('replays nothing when one of the ids does not exist', async () => {
    const id = await newLetter('v.v1', '{}');
    expect(await failure('dlq', 'replay', id, 'nonsense')).toEqual([1, 'No such dead letter: nonsense.']);
    expect(await json('dlq', 'list', '--topic', 'v.v1')).toHaveLength(1);
  });
});
