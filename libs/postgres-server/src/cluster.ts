import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { type Binaries } from './binaries.js';
import { dataDirFor, type RunAs } from './run-as.js';

/** The database role that owns everything. */
export const SUPERUSER = 'postgres';
const MAJOR = '18';
const PASSWORD_FILE = 'superuser.password';
const DRAFT = '.new-';

/**
 * Makes the data directory unless it is there. It appears whole or not at all: initdb works beside it. The caller
 * holds the lock of this directory.
 *
 * @returns the password of the role `postgres`.
 * @throws Error with a sentence when the folder holds something else or the data of another major version.
 */
export function ensureCluster(dataDir: string, binaries: Binaries, runAs: RunAs | undefined): string {
  const passwordFile = join(dataDir, PASSWORD_FILE);
  if (existsSync(join(dataDir, 'PG_VERSION'))) {
    const major = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
    if (major !== MAJOR) throw new Error(`${dataDir} holds data of PostgreSQL ${major}, this is PostgreSQL ${MAJOR}.`);
    if (!existsSync(passwordFile))
      throw new Error(`${dataDir} was not made by us: the file ${PASSWORD_FILE} is missing.`);
    return readFileSync(passwordFile, 'utf8').trim();
  }
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(`${dataDir} is not empty and holds no PostgreSQL data: choose another folder.`);
  }
  removeDrafts(dataDir);
  const draft = mkdtempSync(`${dataDir}${DRAFT}`);
  const password = randomBytes(24).toString('base64url');
  runInitdb(draft, password, binaries, runAs);
  writePrivately(join(draft, PASSWORD_FILE), password, runAs);
  if (existsSync(dataDir)) rmdirSync(dataDir);
  renameSync(draft, dataDir);
  return password;
}

/** What a killed start left. Its initdb may still be at work there, hence a new name for each draft. */
function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dirname(dataDir)).filter((one) => one.startsWith(`${basename(dataDir)}${DRAFT}`))) {
    rmSync(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 10 });
  }
}

function runInitdb(draft: string, password: string, { initdb }: Binaries, runAs: RunAs | undefined): void {
  const exchange = mkdtempSync(join(tmpdir(), 'initdb-'));
  if (runAs) for (const folder of [draft, exchange]) chownSync(folder, runAs.uid, runAs.gid);
  try {
    const pwfile = join(exchange, 'password');
    writePrivately(pwfile, password, runAs);
    const { cwd, path } = dataDirFor(draft, runAs);
    const options = ['--locale-provider=builtin', '--locale=C.UTF-8', '--encoding=UTF8', '--auth=scram-sha-256'];
    const { status, error, stderr } = spawnSync(
      initdb,
      ['-D', path, '-U', SUPERUSER, `--pwfile=${pwfile}`, ...options],
      { ...runAs, cwd, encoding: 'utf8', windowsHide: true },
    );
    if (status !== 0) {
      const who = runAs ? ` as user ${runAs.uid}, who must be able to enter its parent folders` : '';
      throw new Error(
        `PostgreSQL could not make its data directory ${draft}${who}: ${error?.message ?? stderr.trim()}`,
      );
    }
  } finally {
    rmSync(exchange, { recursive: true, force: true });
  }
}

function writePrivately(file: string, text: string, runAs: RunAs | undefined): void {
  writeFileSync(file, `${text}\n`, { flag: 'wx', mode: 0o600 });
  if (runAs) chownSync(file, runAs.uid, runAs.gid);
}
