import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @throws Error with a sentence when there is no psql */
export async function requirePsql(): Promise<void> {
  await run('psql', ['--version']).catch((error: unknown) => {
    throw new Error('The comparison needs psql: install the PostgreSQL client.', { cause: error });
  });
}

/** Runs a script as a person at the terminal would. @returns its output */
export async function psql(url: string, script: string): Promise<string> {
  const child = run('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', url], { maxBuffer: 1e9 });
  child.child.stdin?.end(script);
  return (await child).stdout;
}
