import { mkdirSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { type Binaries, prepareBinaries } from './binaries.js';
import { ensureCluster, SUPERUSER } from './cluster.js';
import { Guard, type PostgresExit } from './guarded-process.js';
import { clearLeftover, isAlive, readPostmaster, sendSignal, waitUntil } from './postmaster.js';
import { chooseRunAs, dataDirFor, type RunAs } from './run-as.js';
import { DEFAULT_SETTINGS, fixedSettings } from './settings.js';

/** Recovery after a crash replays at most max_wal_size of log, which is a matter of seconds; a slow disk gets minutes. */
const START_MS = 120_000;
/** How long a start is tried again when the reason passes by itself. */
const RETRY_MS = 10_000;
const LOG_BYTES = 10 * 1024 * 1024;

export interface PostgresOptions {
  /** Made when absent, with its parents. `.lock`, `.log` and, for a moment, `.new-…` are appended for files beside it. */
  dataDir: string;
  /** 0 or absent: a free one, another at each start. */
  port?: number;
  /** Server settings by PostgreSQL's names; they win over DEFAULT_SETTINGS. */
  settings?: Readonly<Record<string, string>>;
  /** Made when absent. Default `tallyport`. */
  database?: string;
}

export interface RunningPostgres {
  /** With the role `postgres` and its password. */
  url: string;
  port: number;
  /** Of the postmaster. */
  pid: number;
  /** Resolves when the server ended, by stop() or by itself. Never rejects. */
  exited: Promise<PostgresExit>;
  /** Fast stop: open transactions are rolled back, a checkpoint is written. May be called twice. */
  stop(): Promise<void>;
}

interface Launch {
  dataDir: string;
  logFile: string;
  port: number;
  settings: Readonly<Record<string, string>>;
  binaries: Binaries;
  runAs: RunAs | undefined;
}

/**
 * Starts PostgreSQL 18 on 127.0.0.1 and makes its data directory at first. It ends with this process, however that
 * ends. Works as root too: the server then runs as the owner of the data, at first `nobody`.
 *
 * @throws Error with one sentence when the directory is in use or unusable, or the server does not come up.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = resolveDataDir(options.dataDir);
  for (const giveUp = Date.now() + RETRY_MS; ;) {
    try {
      return await startOnce(dataDir, options);
    } catch (error) {
      if (!(error instanceof Error) || !passesSoon(error.message, options) || Date.now() > giveUp) throw error;
      await sleep(200);
    }
  }
}

/** A killed server's children need a moment to notice; a port that was free may be taken before we bind it. */
function passesSoon(message: string, { port }: PostgresOptions): boolean {
  return message.includes('pre-existing shared memory block') || (!port && message.includes('could not bind'));
}

async function startOnce(dataDir: string, options: PostgresOptions): Promise<RunningPostgres> {
  const logFile = `${dataDir}.log`;
  trimLog(logFile);
  const guard = await Guard.lock(dataDir, logFile);
  try {
    const runAs = chooseRunAs(dataDir);
    const binaries = prepareBinaries(runAs);
    await clearLeftover(dataDir, binaries);
    const password = ensureCluster(dataDir, binaries, runAs);
    const port = options.port ? options.port : await freePort();
    const pid = await launch(guard, { dataDir, logFile, port, settings: options.settings ?? {}, binaries, runAs });
    const url = await ensureDatabase(port, password, options.database ?? 'tallyport');
    const stop = async () => {
      await guard.stop();
      // Only when the guard itself was killed is there still something to stop.
      if (isAlive(pid)) await clearLeftover(dataDir, binaries);
    };
    void guard.exited.then(({ code, signal }) => {
      if (code === null && signal === null && isAlive(pid)) sendSignal(pid, 'INT', binaries);
    });
    guard.unref();
    return { url, port, pid, exited: guard.exited, stop };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}

/** Starts the server and waits until it takes connections. @returns its process id. */
async function launch(guard: Guard, { dataDir, logFile, port, settings, binaries, runAs }: Launch): Promise<number> {
  const { cwd, path } = dataDirFor(dataDir, runAs);
  const all = { ...DEFAULT_SETTINGS, ...settings, ...fixedSettings(port) };
  const args = ['-D', path, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const logStart = statSync(logFile).size;
  const pid = await guard.run({ command: binaries.postgres, args, cwd, pgCtl: binaries.pgCtl, ...runAs });
  const isReady = () => {
    const found = readPostmaster(dataDir);
    return found?.pid === pid && found.status === 'ready';
  };
  await waitUntil(() => !isAlive(pid) || isReady(), START_MS);
  if (isAlive(pid) && isReady()) return pid;
  throw new Error(`PostgreSQL did not start: ${lastWords(logFile, logStart)} (log: ${logFile})`);
}

/** @returns the address of the database, which is there afterwards. */
async function ensureDatabase(port: number, password: string, database: string): Promise<string> {
  const address = (name: string) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
  const client = new pg.Client({ connectionString: address('postgres'), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
  return address(database);
}

/** One spelling for one directory, whatever links lead there: the lock's name depends on it. */
function resolveDataDir(dataDir: string): string {
  const parent = dirname(resolve(dataDir));
  mkdirSync(parent, { recursive: true });
  return join(realpathSync(parent), basename(resolve(dataDir)));
}

function trimLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES) renameSync(logFile, `${logFile}.old`);
}

/** What the server wrote last before it gave up; its FATAL lines say why. */
function lastWords(logFile: string, from: number): string {
  const lines = readFileSync(logFile).subarray(from).toString('utf8').trim().split('\n');
  const reasons = lines.filter((line) => /\b(FATAL|ERROR|PANIC|HINT):/.test(line) || !/\b[A-Z]+:/.test(line));
  return (reasons.length > 0 ? reasons : lines).slice(-4).join('; ') || 'it gave no reason';
}

function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolvePort(typeof address === 'object' && address ? address.port : 0);
      });
    });
  });
}
