import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where the traces of one running stack lie. */
export interface Workplace {
  /** Of Kafka, MinIO and PostgreSQL, a folder each. */
  data: string;
  /** Process ids, so that the next run can stop what a killed one left. */
  run: string;
  log: string;
}

export interface Launch {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}

/** A process of ours with its log file and its pid file. */
export interface Running {
  pid: number;
  logFile: string;
  exited: Promise<void>;
  hasExited(): boolean;
  /** SIGTERM, and SIGKILL for one that is still there after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  kill(): Promise<void>;
}

/** The folders below `base`, made when absent. */
export function prepareWorkplace(base: string): Workplace {
  const place = { data: join(base, 'data'), run: join(base, 'run'), log: join(base, 'log') };
  for (const folder of Object.values(place)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return place;
}

/** Starts a process in a group of its own: Ctrl-C reaches only us, and we stop the others in order. */
export function launch({ name, command, args, env }: Launch, place: Workplace): Running {
  const logFile = join(place.log, `${name}.log`);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env: { ...process.env, ...env } });
  closeSync(log);
  const pidFile = join(place.run, `${name}.pid`);
  if (child.pid !== undefined) writePidFile(pidFile, child.pid);
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      rmSync(pidFile, { force: true });
      resolve();
    });
  });
  const hasExited = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const stop = async (graceMs = 20_000) => {
    child.kill('SIGTERM');
    await stopAfter(child, exited, graceMs);
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { pid: child.pid ?? 0, logFile, exited, hasExited, stop, kill };
}

async function stopAfter(child: ChildProcess, exited: Promise<void>, graceMs: number): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
}

/**
 * Polls until `isReady` says so.
 *
 * @throws Error with the last lines of the log when the process ends first or the time is over.
 */
export async function waitUntilReady(
  name: string,
  running: Running,
  isReady: () => Promise<boolean>,
  waitMs = 60_000,
): Promise<void> {
  for (const end = Date.now() + waitMs; Date.now() < end && !running.hasExited();) {
    if (await isReady()) return;
    await sleep(50);
  }
  throw new Error(`${name} did not become ready. The end of ${running.logFile}:\n${lastLines(running.logFile)}`);
}

/** @returns the last ten lines, for an error message. */
export function lastLines(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
}

/** Stops what a killed run left behind, found by its pid files. @returns their names. */
export async function stopLeftovers({ run }: Workplace): Promise<string[]> {
  const stopped: string[] = [];
  for (const file of readdirSync(run).filter((name) => name.endsWith('.pid'))) {
    const pid = livePid(join(run, file));
    if (pid !== undefined) {
      await stopByPid(pid, join(run, file));
      stopped.push(basename(file, '.pid'));
    }
    rmSync(join(run, file), { force: true });
  }
  return stopped;
}

async function stopByPid(pid: number, pidFile: string): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', 20_000],
    ['SIGKILL', 5000],
  ] as const) {
    if (livePid(pidFile) === undefined) return;
    process.kill(pid, signal);
    for (const end = Date.now() + waitMs; Date.now() < end && livePid(pidFile) !== undefined;) await sleep(50);
  }
}

/** Notes a process together with its start time: after a reboot its number may be somebody else's. */
export function writePidFile(file: string, pid: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${pid} ${startTime(pid) ?? ''}\n`, { mode: 0o600 });
}

/** @returns the process of a pid file if it is the very same and still runs. */
export function livePid(file: string): number | undefined {
  try {
    const [, pid, started] = /^(\d+) (.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    return pid !== undefined && started !== '' && startTime(Number(pid)) === started ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a process that is not there; a zombie is not. */
function startTime(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
    }
    // The second field is the program's name in brackets, which may hold anything: count from the last bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Loopback ports that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      if (typeof address !== 'object' || !address) throw new Error('no free port on 127.0.0.1');
      return address.port;
    }),
  );
}

/** @throws Error with a sentence when something else listens on this loopback port. */
export async function requireFree(port: number, variable: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => {
      reject(new Error(`Port ${port} is in use: choose another one with ${variable}.`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
