import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { run, type Outcome } from '#apps/cli/src/run.js';
import { AccessService } from '#apps/gateway/src/access/access.service.js';
import { createDataSource } from '#database/data-source.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const MAIN = resolve('dist/apps/cli/src/main.js');
const NO_ASSET = '00000000-0000-7000-8000-000000000000';

interface Asset {
  asset_id: string;
  name: string;
  timezone: string;
  currency: string;
}

let database: TestDatabase;
let dataSource: DataSource;
let home: string;

beforeAll(async () => {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: build it with npx tsc -b apps/cli.`);
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 3 }).initialize();
  home = mkdtempSync(join(tmpdir(), 'tallyport-cli-'));
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
  rmSync(home, { recursive: true, force: true });
});

/** The built program as a process of its own, with nothing of our environment but what it is given. */
function tallyport(args: string[], env: NodeJS.ProcessEnv = { DATABASE_URL: database.url }): Promise<Outcome> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env['PATH'], TALLYPORT_HOME: home, ...env }, maxBuffer: 1 << 26 };
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
      done({ code: (error === null ? 0 : error.code) as Outcome['code'], stdout, stderr });
    });
  });
}

describe('tallyport as a process', () => {
  it('sets an asset up from an empty server to a token that works', async () => {
    const create = [
      'asset',
      'create',
      '--name',
      'My Shop',
      '--timezone',
      'europe/berlin',
      '--currency',
      'eur',
      '--json',
    ];
    const created = await tallyport(create);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const asset = JSON.parse(created.stdout) as Asset;
    expect(asset).toMatchObject({ name: 'My Shop', timezone: 'Europe/Berlin', currency: 'EUR' });

    const to = ['--asset', asset.asset_id, '--principal', 'anna'];
    const added = await tallyport(['member', 'add', ...to, '--permissions', 'cost:write,cost:read', '--json']);
    expect(JSON.parse(added.stdout)).toEqual({
      asset_id: asset.asset_id,
      principal: 'anna',
      permissions: ['cost:write', 'cost:read'],
      restrictions: [],
    });

    const made = await tallyport(['token', 'create', '--principal', 'anna', '--json']);
    const token = JSON.parse(made.stdout) as { token: string; token_id: string; expires_at: string | null };
    expect(token.expires_at).toBeNull();
    const caller = await new AccessService(dataSource).authenticate(token.token);
    expect(caller).toMatchObject({ principalName: 'anna', memberships: [{ assetId: asset.asset_id }] });
  });

  it('reads the database of credentials.json when DATABASE_URL is not set', async () => {
    writeFileSync(join(home, 'credentials.json'), JSON.stringify({ database_url: database.url }));
    expect(await tallyport(['asset', 'list', '--json'], {})).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(join(home, 'credentials.json'), '{');
    expect(await tallyport(['asset', 'list'], {})).toMatchObject({ code: 1, stdout: '' });
    rmSync(join(home, 'credentials.json'));
    const { code, stdout, stderr } = await tallyport(['asset', 'list', '--json'], { DATABASE_URL: '' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^There is no database to work on: DATABASE_URL is not set and there is no \S+\n$/);
  });

  it('says in one sentence that the database is away or silent, after 5 s at most', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await new Promise((listening) => silent.once('listening', listening));
    const { port } = silent.address() as AddressInfo;
    const begin = Date.now();
    const outcomes = await Promise.all(
      [port, 1].map((at) => tallyport(['asset', 'list'], { DATABASE_URL: `postgresql://me:secret@127.0.0.1:${at}/x` })),
    );
    // 5 s for the database; the rest is the start of two processes at once on a busy machine.
    expect(Date.now() - begin).toBeLessThan(10_000);
    for (const socket of sockets) socket.destroy();
    silent.close();
    for (const { code, stdout, stderr } of outcomes) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The database at 127\.0\.0\.1:\d+ can't be reached \(.+\)\.\n$/);
      expect(stderr).not.toContain('secret');
    }
  });

  it('keeps log lines of its parts away from both streams', async () => {
    const env = { KAFKA_BROKERS: '127.0.0.1:1', LOG_LEVEL: 'trace', LOG_FORMAT: 'text' };
    const { code, stdout, stderr } = await tallyport(['topics', 'ensure', '--json'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Kafka at 127\.0\.0\.1:1 can't be reached [^\n]+\n$/);
  });

  it('needs no database and no broker to say that the in-process bus has no topics', async () => {
    const asJson = await tallyport(['topics', 'ensure', '--json'], {});
    expect(asJson).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ created: [], existing: [] });
    const asText = await tallyport(['topics', 'ensure'], {});
    expect(asText).toMatchObject({
      code: 0,
      stdout: 'KAFKA_BROKERS is not set: the in-process bus needs no topics.\n',
    });
  });

  it('prints all of a long answer, and nothing when the reader has gone', async () => {
    const own = await testDatabase();
    const rows = await createDataSource({ DATABASE_URL: own.url, DATABASE_POOL_SIZE: 3 }).initialize();
    await rows.query(
      `INSERT INTO access.asset (asset_id, name, timezone, currency)
       SELECT gen_random_uuid(), 'Shop ' || n, 'UTC', 'USD' FROM generate_series(1, 5000) n`,
    );
    await rows.destroy();
    const { stdout } = await tallyport(['asset', 'list', '--json'], { DATABASE_URL: own.url });
    expect(JSON.parse(stdout)).toHaveLength(5000);

    const child = spawn(process.execPath, [MAIN, 'asset', 'list'], { env: { ...process.env, DATABASE_URL: own.url } });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise((ended) => child.on('close', ended));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await own.drop();
  });

  it('migrates an empty database, and says so when that was forgotten', async () => {
    const own = await testDatabase();
    const empty = await createDataSource({ DATABASE_URL: own.url, DATABASE_POOL_SIZE: 3 }).initialize();
    await empty.query('DROP SCHEMA access, imports, messaging, exports, reporting, integrity, modeling CASCADE');
    await empty.query('DROP TABLE migrations');
    await empty.destroy();
    const env = { DATABASE_URL: own.url };
    for (const args of [
      ['asset', 'list'],
      ['token', 'list'],
      ['dlq', 'list'],
      ['mapping', 'list', '--asset', NO_ASSET],
    ]) {
      expect(await run(args, env)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database is not migrated: run `tallyport migrate` first.\n',
      });
    }
    const first = await tallyport(['migrate', '--json'], env);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { applied } = JSON.parse(first.stdout) as { applied: string[] };
    expect(applied).toContain('CreateAccess1763000000000');
    expect((await run(['migrate', '--json'], env)).stdout).toBe('{"applied":[]}\n');
    expect((await run(['asset', 'list', '--json'], env)).stdout).toBe('[]\n');
    await own.drop();
  });
});
