import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimFiles, randomClaim } from '../../../test/support/claims/claim-files.js';
import { run } from './run.js';

describe('verify', () => {
  let folder: string;
  let files: ClaimFiles;
  let claim: string;
  let bundle: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallyport-verify-'));
    files = await randomClaim(3, 4);
    [claim, bundle] = [join(folder, 'claim.csv'), join(folder, 'bundle.json')];
    await writeFile(claim, files.csv);
    await writeFile(bundle, files.bundle);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('says a line for each row of a claim that holds', async () => {
    const { code, stdout, stderr } = await run(['verify', claim, bundle, '--key', files.vkey], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(files.rows.length);
    expect(stdout).toMatch(/^OK row 1 AS/);
  });

  it('ends with 1 when a row does not hold', async () => {
    const edited = join(folder, 'edited.csv');
    await writeFile(edited, files.csv.replace(/true\n$/, 'false\n'));
    const { code, stdout } = await run(['verify', edited, bundle], {});
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL row \d+ AS.*: the service itself says chain_verified=false$/m);
    expect(stdout).toContain('not independently trusted');
  });

  it('answers --json with one value', async () => {
    const { code, stdout } = await run(['verify', claim, bundle, '--json'], {});
    expect({ code, verdict: JSON.parse(stdout) }).toMatchObject({ code: 0, verdict: { exit: 0, trusted: false } });
  });

  it('ends with 2 for what it cannot read', async () => {
    const missing = await run(['verify', join(folder, 'none.csv'), bundle], {});
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toMatch(/^[^\n]*none\.csv cannot be read: ENOENT\n$/);
    expect(await run(['verify', bundle, claim], {})).toMatchObject({ code: 2, stdout: '' });
  });
});
