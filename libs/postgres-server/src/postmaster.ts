import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Binaries } from './binaries.js';

/** What a running server writes into `postmaster.pid`; `status` is `starting`, `ready`, `standby` or `stopping`. */
export interface Postmaster {
  pid: number;
  status: string;
}

/** Undefined when no server runs, or it has not yet written all lines. */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * Clears away what an earlier run left: a server whose guard was killed too is stopped, the pid file of a crashed one
 * is removed when its number belongs to another program now. The caller holds the lock of this directory.
 */
export async function clearLeftover(dataDir: string, binaries: Binaries): Promise<void> {
  if (!existsSync(join(dataDir, 'PG_VERSION'))) return;
  const leftover = readPostmaster(dataDir);
  if (!leftover) return;
  for (const [signal, waitMs] of [
    ['INT', 15_000],
    ['QUIT', 5000],
    ['KILL', 2000],
  ] as const) {
    if (!servesDataDir(leftover.pid, dataDir)) break;
    sendSignal(leftover.pid, signal, binaries);
    await waitUntil(() => !isAlive(leftover.pid), waitMs);
  }
  if (servesDataDir(leftover.pid, dataDir)) {
    throw new Error(`PostgreSQL of an earlier run (process ${leftover.pid}) still uses ${dataDir} and does not stop.`);
  }
  rmSync(join(dataDir, 'postmaster.pid'), { force: true });
}

/** Polls `condition` every 20 ms. @returns whether it became true in time. */
export async function waitUntil(condition: () => boolean, waitMs: number): Promise<boolean> {
  for (const end = Date.now() + waitMs; Date.now() < end;) {
    if (condition()) return true;
    await sleep(20);
  }
  return condition();
}

/** A process of another user is alive too. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends SIGINT (fast stop), SIGQUIT (immediate stop) or SIGKILL; a process that is gone is no error. */
export function sendSignal(pid: number, signal: 'INT' | 'QUIT' | 'KILL', { pgCtl }: Binaries): void {
  try {
    if (process.platform !== 'win32' || signal === 'KILL') process.kill(pid, `SIG${signal}`);
    else execFileSync(pgCtl, ['kill', signal, String(pid)], { stdio: 'ignore', windowsHide: true });
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}

/** Numbers are used again, above all after a reboot: never stop a process only because a file names it. */
function servesDataDir(pid: number, dataDir: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    if (process.platform === 'linux') {
      const isPostgres = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
      return isPostgres && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
    }
    if (process.platform === 'win32') {
      const list = execFileSync('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'], { encoding: 'utf8' });
      return list.includes('postgres');
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(dataDir);
  } catch {
    return false;
  }
}
