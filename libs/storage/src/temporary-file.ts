import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^(\d+)-[0-9a-f-]{36}\.tmp$/;
const ONE_DAY_MS = 24 * 3_600_000;
const PROCESS_START = Date.now() - process.uptime() * 1000;

/** A path in `directory` that nobody has used; it says which process made it, see `removeLeftovers`. */
export function temporaryPath(directory: string): string {
  return join(directory, `${process.pid}-${randomUUID()}.tmp`);
}

/** Only for us: what is being uploaded is nobody else's to read. */
export async function privateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * Removes temporary files of processes that are gone; returns how many. Those of living processes stay, except when
 * over a day old: the number may be another process's by now (in a container every process is 1).
 */
export async function removeLeftovers(directory: string): Promise<number> {
  await privateDirectory(directory);
  let removed = 0;
  for (const name of await readdir(directory)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(directory, name);
    const written = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (written === undefined || !isLeftover(Number(pid), written)) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

function isLeftover(pid: number, writtenMs: number): boolean {
  if (Date.now() - writtenMs > ONE_DAY_MS) return true;
  return pid === process.pid ? writtenMs < PROCESS_START : !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
