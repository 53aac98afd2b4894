// Runs the postmaster as its child and outlives the process that asked for it just long enough to stop it: the IPC
// channel closes whatever way that process ends, SIGKILL included. Plain JavaScript, because it is started by path
// both from the sources (tests) and from dist.
//
// Usage: node guard.mjs <lock file>. Messages in: { type: 'run', … }, { type: 'stop', mode }.
// Messages out: { type: 'locked' }, { type: 'in-use', pid }, { type: 'running', pid }, { type: 'failed', message },
// { type: 'exited', code, signal }.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long each way of stopping may take before the next, harder one. At first only connections that are being closed
 * are waited for: a stop in the middle of that would look like a failure to their owner. A fast stop writes a
 * checkpoint first.
 */
const GRACE_MS = { closing: 500, orphaned: 8000, asked: 60_000, immediate: 5000 };

const lockFile = /** @type {string} */ (process.argv[2]);
/** @type {import('node:child_process').ChildProcess | undefined} */
let postgres;
let pgCtl = '';
let stopping = false;

// Ctrl-C and a closing terminal reach whole process groups; only the owner decides when the database goes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => void stop(GRACE_MS.orphaned));
process.on('message', (/** @type {any} */ message) => {
  if (message.type === 'run') run(message);
  if (message.type === 'stop') void stop(GRACE_MS.asked);
});

await takeLock();
tell({ type: 'locked' });

/** @param {object} message */
function tell(message) {
  if (process.connected) process.send?.(message, () => undefined);
}

/** @param {{ command: string, args: string[], cwd: string, pgCtl: string, uid?: number, gid?: number }} job */
function run({ command, args, cwd, uid, gid, ...job }) {
  if (stopping) return;
  pgCtl = job.pgCtl;
  postgres = spawn(command, args, {
    cwd,
    uid,
    gid,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  postgres.on('spawn', () => tell({ type: 'running', pid: postgres?.pid }));
  postgres.on('error', (error) => tell({ type: 'failed', message: error.message }));
  postgres.on('exit', (code, signal) => tell({ type: 'exited', code, signal }));
}

/** @param {number} graceMs */
async function stop(graceMs) {
  if (stopping) return;
  stopping = true;
  try {
    writeFileSync(lockFile, `${process.pid} stopping\n`, { mode: 0o600 });
  } catch {
    // Somebody removed the folder below the running server, which must be stopped all the same.
  }
  for (const [signal, wait] of /** @type {const} */ ([
    ['TERM', GRACE_MS.closing],
    ['INT', graceMs],
    ['QUIT', GRACE_MS.immediate],
    ['KILL', 2000],
  ])) {
    if (hasEnded()) break;
    send(signal);
    for (const end = Date.now() + wait; Date.now() < end && !hasEnded();) await sleep(20);
  }
  rmSync(lockFile, { force: true });
  process.exit(0);
}

function hasEnded() {
  return postgres?.pid === undefined || postgres.exitCode !== null || postgres.signalCode !== null;
}

/** @param {'TERM' | 'INT' | 'QUIT' | 'KILL'} signal */
function send(signal) {
  if (process.platform !== 'win32' || signal === 'KILL') postgres?.kill(`SIG${signal}`);
  // Windows has no signals; the server listens on a named pipe that only pg_ctl knows.
  else execFileSync(pgCtl, ['kill', signal, String(postgres?.pid)], { stdio: 'ignore', windowsHide: true });
}

/** Waits while an earlier guard stops its server; a lock whose guard is gone is taken over. */
async function takeLock() {
  for (;;) {
    try {
      writeFileSync(lockFile, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const [pid, state] = readLock();
    if (pid === undefined || !isGuard(pid)) rmSync(lockFile, { force: true });
    else if (state === 'stopping') await sleep(50);
    else {
      tell({ type: 'in-use', pid });
      await sleep(100); // lets the message leave
      process.exit(0);
    }
  }
}

function readLock() {
  try {
    const [pid, state] = readFileSync(lockFile, 'utf8').trim().split(' ');
    return /** @type {const} */ ([Number(pid), state]);
  } catch {
    return /** @type {const} */ ([undefined, undefined]);
  }
}

/**
 * After a reboot the number in a lock may belong to any program, hence the look at its command line.
 * @param {number} pid
 */
function isGuard(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') return false;
  }
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(lockFile);
    if (process.platform === 'win32') return true;
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(lockFile);
  } catch {
    return false;
  }
}
