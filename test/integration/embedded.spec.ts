import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Credentials } from '#apps/standalone/src/credentials.js';
import type { CostImportJob } from '#contracts/cost-import.js';
import { isAlive, readPostmaster, waitUntil } from '#postgres-server/postmaster.js';

const MAIN = fileURLToPath(new URL('../../dist/apps/standalone/src/main.js', import.meta.url));
const READY_MS = 30_000;
/** How long a database may outlive the process that was killed. */
const GONE_MS = 10_000;
const COSTS = 'date,channel,cost\n2026-01-04,Google Ads,1250.00\n2026-01-04,Meta Ads,"1,100.50"\n';

let folder: string;
/** With a space and letters beyond ASCII. */
let home: string;
const started: ChildProcess[] = [];

interface Run {
  process: ChildProcess;
  output: () => string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

beforeAll(() => {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: npm run build`);
  folder = mkdtempSync(join(tmpdir(), 'tallyport-embedded-'));
  home = join(folder, 'mein Büro');
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await untilAllGone();
  rmSync(folder, { recursive: true, force: true });
});

/** Only these variables: what the tests themselves are run with must not matter. */
function run(command: string[], settings: Record<string, string> = {}): Run {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), TALLYPORT_HOME: home, PORT: '0', ...settings },
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return { process: child, output: () => output, ended };
}

const embedded = (settings: Record<string, string> = {}): Run => run([process.execPath, MAIN], settings);

async function startedUp(started: Run): Promise<Run> {
  const { process: child, output } = started;
  const isReady = (): boolean => output().includes('Ctrl-C stops everything.');
  await waitUntil(() => isReady() || child.exitCode !== null, READY_MS);
  if (!isReady()) throw new Error(`it did not start: ${output()}`);
  return started;
}

function credentials(): Credentials {
  return JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8')) as Credentials;
}

async function call(path: string, init: RequestInit = {}): Promise<unknown> {
  const { base_url: baseUrl, token } = credentials();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' };
  return (await fetch(`${baseUrl}/api/v1/cost-import${path}`, { ...init, headers })).json();
}

function upload(): Promise<unknown> {
  return call('', { method: 'POST', body: COSTS });
}

/** The processes of the database, as far as they are alive. */
function alive(): number[] {
  const lock = join(home, 'postgres.lock');
  const guard = existsSync(lock) ? Number.parseInt(readFileSync(lock, 'utf8'), 10) : 0;
  return [guard, readPostmaster(join(home, 'postgres'))?.pid ?? 0].filter((pid) => pid > 0 && isAlive(pid));
}

async function untilAllGone(): Promise<boolean> {
  return waitUntil(() => alive().length === 0, GONE_MS);
}

// In the order of a life: each test goes on with the state that the one before it left.
describe('the embedded mode', () => {
  let first: Run;
  let firstCredentials: Credentials;

  it('starts from nothing, keeps its secrets to its owner, and prints a line that works in a plain shell', async () => {
    first = await startedUp(embedded());
    firstCredentials = credentials();
    expect(Object.keys(firstCredentials)).toEqual(['base_url', 'asset_id', 'token', 'database_url']);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'credentials.json')).mode & 0o777).toBe(0o600);
    const [pasted] = /^ {2}printf[^]*?@-$/m.exec(first.output()) ?? [''];
    if (spawnSync('curl', ['--version']).status !== 0) console.warn('not pasted: there is no curl here');
    else {
      const { stdout } = spawnSync('sh', ['-c', pasted], { encoding: 'utf8' });
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, total: 2, inserted: 2 });
    }
    expect(await upload()).toMatchObject({ ok: true, total: 2 });
  });

  it('refuses a second start on the same state with a sentence, and the first goes on', async () => {
    const second = embedded();
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output()).toMatch(/^TALLYPORT_HOME=.*mein Büro: The PostgreSQL data directory .* is in use by .*\n$/);
    expect(await upload()).toMatchObject({ updated: 2 });
  });

  it('refuses a port that is in use with a sentence and leaves nothing behind', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const other = join(folder, 'other');
    const refused = embedded({ TALLYPORT_HOME: other, PORT: String(port) });
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.output()).toMatch(new RegExp(`^Port ${port} of 127.0.0.1 is in use: .* PORT\\.\n$`));
    expect(existsSync(join(other, 'postgres.lock'))).toBe(false);
    server.close();
  });

  it.each([
    ['a file as home', { TALLYPORT_HOME: MAIN }, /^TALLYPORT_HOME=.* is no directory that can be written to: .*\n$/],
    ['a word as port', { PORT: 'abc' }, /^Wrong configuration: PORT must be a number\.\n$/],
    ['an address that is not ours', { HOST: '192.0.2.1' }, /^HOST=192\.0\.2\.1 is no address of this machine\.\n$/],
  ])('says in one sentence what is wrong with %s', async (_, settings, sentence) => {
    const refused = embedded({ TALLYPORT_HOME: join(folder, 'wrong'), ...settings });
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.output()).toMatch(sentence);
  });

  it('stops on SIGTERM, and a restart keeps data and token', async () => {
    first.process.kill('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(alive()).toEqual([]);
    first = await startedUp(embedded());
    expect(credentials()).toMatchObject({ token: firstCredentials.token, asset_id: firstCredentials.asset_id });
    expect(await upload()).toMatchObject({ inserted: 0, updated: 2 });
  });

  it('leaves nothing running when it is killed, and the next start ends the import that was under way', async () => {
    const rows = Array.from({ length: 300_000 }, (_, row) => `2026-01-04,Google Ads,${row}.25,google,Campaign ${row}`);
    const body = `date,channel,cost,source,campaign\n${rows.join('\n')}\n`;
    const { import_id: importId } = (await call('/async', { method: 'POST', body })) as CostImportJob;
    const read = async (): Promise<CostImportJob> => (await call(`/jobs/${importId}`)) as CostImportJob;
    while ((await read()).status === 'queued') await sleep(20);
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await untilAllGone()).toBe(true);

    first = await startedUp(embedded());
    while (['queued', 'running'].includes((await read()).status)) await sleep(100);
    expect(await read()).toMatchObject({ status: 'succeeded', attempt: 2, report: { total: rows.length } });
  });

  it('makes a new token when credentials.json is lost', async () => {
    first.process.kill('SIGINT');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    rmSync(join(home, 'credentials.json'));
    // As npm starts it where sh does not make way for the program; SIGKILL can't be passed on.
    const npm = `spawn('sh', ['-c', '"$0" "$1"; true', ${JSON.stringify(process.execPath)}, ${JSON.stringify(MAIN)}], { stdio: 'inherit' })`;
    first = await startedUp(
      run([process.execPath, '-e', `require('node:child_process').${npm}`], { npm_lifecycle_event: 'start' }),
    );
    expect(credentials().asset_id).toBe(firstCredentials.asset_id);
    expect(credentials().token).not.toBe(firstCredentials.token);
    expect(await upload()).toMatchObject({ updated: 2 });
  });

  it('stops when the npm that started it is killed', async () => {
    expect(alive()).toHaveLength(2);
    first.process.kill('SIGKILL');
    expect(await untilAllGone()).toBe(true);
    await first.ended;
  });
});
