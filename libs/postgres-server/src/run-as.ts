import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The user that PostgreSQL's programs run as; undefined: our own. */
export interface RunAs {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. Root's servers run as the owner of an existing data directory, else as `nobody`:
 * initdb insists on a user with an entry in the password file, and that one is there nearly everywhere.
 *
 * @throws Error when we are root and no other user exists.
 */
export function chooseRunAs(dataDir: string): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(join(dataDir, 'PG_VERSION'), { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid) | 0, gid: Number(gid) | 0 }))
    .filter((user) => user.name !== '' && !user.name?.startsWith('#') && user.uid !== 0 && user.gid !== 0);
  const user = users.find(({ name }) => name === 'nobody') ?? users[0];
  if (!user)
    throw new Error('PostgreSQL does not run as root and /etc/passwd has no other user: run as a normal user.');
  return { uid: user.uid, gid: user.gid };
}

/**
 * How PostgreSQL's programs are told where the data is: `cwd` to start them in and the path to give them.
 *
 * Root's directories may lie below a home that the other user cannot enter. Linux sets the working directory before
 * it changes the user, and /proc/self/cwd leads there without passing the parents.
 */
export function dataDirFor(dataDir: string, runAs: RunAs | undefined): { cwd: string; path: string } {
  return { cwd: dataDir, path: runAs && process.platform === 'linux' ? '/proc/self/cwd' : dataDir };
}
