import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimFiles, randomClaim } from '../../test/support/claims/claim-files.js';

interface Ended {
  exit: number | null;
  lines: string[];
  stderr: string;
}

describe('the verifiers in a folder of their own', () => {
  let folder: string;
  let files: ClaimFiles;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallyport-verifier-'));
    for (const file of ['tallyport-verify.mjs', 'tallyport_verify.py'])
      await copyFile(join('deploy', 'verifier', file), join(folder, file));
    files = await randomClaim(11, 5);
    await writeFile(join(folder, 'claim.csv'), files.csv);
    await writeFile(join(folder, 'edited.csv'), files.csv.replace(/,true\n$/, ',false\n'));
    await writeFile(join(folder, 'bundle.json'), files.bundle);
    await writeFile(join(folder, 'kept.txt'), (JSON.parse(files.bundle) as { checkpoint: string }).checkpoint);
  });
  afterAll(() => rm(folder, { recursive: true }));

  function start(command: string, args: readonly string[]): Ended | undefined {
    const { error, status, stdout, stderr } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      // No variable that could name a package folder or a proxy.
      env: { PATH: process.env.PATH, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' },
    });
    if (error !== undefined) {
      process.stderr.write(`skipped: ${command} does not start here\n`);
      return undefined;
    }
    return { exit: status, lines: stdout.split('\n').filter((line) => line !== ''), stderr };
  }
  const node = (...args: string[]) => start(process.execPath, ['tallyport-verify.mjs', ...args]);
  const python = (...args: string[]) => start('python3', ['tallyport_verify.py', ...args]);
  const verdicts = (ended: Ended | undefined) => ended?.lines.map((line) => line.replace(/^(FAIL [^:]*):.*/, '$1'));

  it('say the same lines and end with the same code', () => {
    for (const args of [
      ['claim.csv', 'bundle.json'],
      ['claim.csv', 'bundle.json', '--key', files.vkey, '--checkpoint', 'kept.txt'],
      ['edited.csv', 'bundle.json', '--key', files.vkey],
      ['bundle.json', 'claim.csv'],
      ['claim.csv', 'missing.json'],
      ['claim.csv'],
      ['claim.csv', 'bundle.json', '--frobnicate'],
    ]) {
      const [first, second] = [node(...args), python(...args)];
      if (second === undefined) continue;
      expect({ args, exit: second.exit, lines: verdicts(second) }).toEqual({
        args,
        exit: first?.exit,
        lines: verdicts(first),
      });
      expect(second.stderr === '').toBe(first?.stderr === '');
    }
  });

  it('end with 0, 1 and 2', () => {
    expect(node('claim.csv', 'bundle.json')).toMatchObject({ exit: 0, stderr: '' });
    const edited = node('edited.csv', 'bundle.json', '--key', files.vkey);
    expect(edited?.exit).toBe(1);
    expect(edited?.lines.filter((line) => line.startsWith('FAIL'))).toHaveLength(1);
    expect(node('claim.csv')).toMatchObject({ exit: 2, lines: [] });
  });

  it('answer --json with one value, and say whether the key is trusted', () => {
    const verdict = (...args: string[]) =>
      JSON.parse(node('claim.csv', 'bundle.json', '--json', ...args)?.lines.join('') ?? '') as unknown;
    expect(verdict()).toMatchObject({ exit: 0, trusted: false });
    expect(verdict('--key', files.vkey)).toMatchObject({ exit: 0, trusted: true });
    const [note] = node('claim.csv', 'bundle.json')?.lines.slice(-1) ?? [];
    expect(note).toBe('NOTE the key came from the bundle and is not independently trusted');
  });

  it('leave nothing behind', async () => {
    expect((await readdir(folder)).sort()).toEqual(
      ['bundle.json', 'claim.csv', 'edited.csv', 'kept.txt', 'tallyport-verify.mjs', 'tallyport_verify.py'].sort(),
    );
  });
});
