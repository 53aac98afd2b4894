import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { type RunAs } from './run-as.js';

/** How the server ended; both null when that is unknown because its guard was killed. */
export interface PostgresExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Job extends Partial<RunAs> {
  command: string;
  args: string[];
  cwd: string;
  pgCtl: string;
}

type Report =
  | { type: 'locked' }
  | { type: 'in-use'; pid: number }
  | { type: 'running'; pid: number }
  | { type: 'failed'; message: string }
  | ({ type: 'exited' } & PostgresExit);

/**
 * Our end of the guard (guard.mjs), which holds the lock of a data directory and runs the server. When this process
 * ends in any way, the guard stops the server and gives the lock back.
 */
export class Guard {
  /** Resolves when the server ended or the guard did. */
  readonly exited: Promise<PostgresExit>;
  private readonly waiting = new Set<(report: Report | undefined) => void>();

  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => {
      child.on('message', (report: Report) => {
        if (report.type === 'exited') resolve({ code: report.code, signal: report.signal });
      });
      child.on('exit', () => {
        resolve({ code: null, signal: null });
      });
    });
    child.on('message', (report: Report) => {
      this.tellWaiting(report);
    });
    child.on('exit', () => {
      this.tellWaiting(undefined);
    });
  }

  /**
   * Starts the guard and waits for the lock, also while an earlier guard is still stopping its server.
   *
   * @throws Error naming the process when another one uses the data directory.
   */
  static async lock(dataDir: string, logFile: string): Promise<Guard> {
    const log = openSync(logFile, 'a', 0o600);
    const env = { ...process.env };
    delete env.NODE_OPTIONS; // neither a debugger port nor a loader of ours is the guard's business
    const child = spawn(process.execPath, [fileURLToPath(new URL('./guard.mjs', import.meta.url)), `${dataDir}.lock`], {
      detached: true,
      windowsHide: true,
      env,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const guard = new Guard(child);
    const report = await guard.next();
    if (report?.type === 'locked') return guard;
    const user = report?.type === 'in-use' ? `another process (guard ${report.pid})` : 'something unknown';
    throw new Error(`The PostgreSQL data directory ${dataDir} is in use by ${user}: stop that first; see ${logFile}.`);
  }

  /** @returns the process id of the postmaster. @throws Error when the program cannot be started at all. */
  async run(job: Job): Promise<number> {
    const report = this.next();
    this.child.send({ type: 'run', ...job });
    const answer = await report;
    if (answer?.type === 'running') return answer.pid;
    throw new Error(
      `PostgreSQL could not be started: ${answer?.type === 'failed' ? answer.message : 'its guard ended'}`,
    );
  }

  /** From now on neither the guard nor its channel keeps this process from ending by itself. */
  unref(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  /** Stops the server (fast after 0.5 s, immediate after 60 s), frees the lock, and waits for both. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.ref();
    const ended = new Promise<void>((resolve) =>
      this.child.once('exit', () => {
        resolve();
      }),
    );
    if (this.child.connected) this.child.send({ type: 'stop' }, () => undefined);
    await ended;
  }

  private next(): Promise<Report | undefined> {
    return new Promise((resolve) => {
      this.waiting.add(resolve);
    });
  }

  private tellWaiting(report: Report | undefined): void {
    for (const resolve of this.waiting) resolve(report);
    this.waiting.clear();
  }
}
