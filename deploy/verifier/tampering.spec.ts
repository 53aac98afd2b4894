import { describe, expect, it } from '@jest/globals';
import { checkpointOf } from '../../test/support/claims/build-log.js';
import { SERVICE_KEY } from '../../test/support/claims/claim-files.js';
import { agreement, verifyInPython } from '../../test/support/claims/python-verifier.js';
import { tamperedBundle } from '../../test/support/claims/tampered-bundle.js';
import { tamperedCsv } from '../../test/support/claims/tampered-csv.js';
import { tamperedLogs } from '../../test/support/claims/tampered-logs.js';
import { changedCsv, inputOf, rebuilt, richClaim } from '../../test/support/claims/tampering.js';
import { verifyClaim } from './tallyport-verify.mjs';

describe('a claim or bundle that was tampered with', () => {
  it('is found by both verifiers in every way', async () => {
    const files = await richClaim();
    const ways = [...tamperedCsv(files), ...tamperedBundle(files), ...(await tamperedLogs(files))];
    expect(new Set(ways.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
    const verdicts = ways.map(({ input }) => verifyClaim(input));
    expect(ways.map(({ name }, index) => ({ name, exit: verdicts[index]?.exit }))).toEqual(
      ways.map(({ name, exit }) => ({ name, exit })),
    );
    const others = verifyInPython(ways.map(({ input }) => input));
    if (others === undefined) return;
    expect(ways.map(({ name }, index) => [name, agreement(others[index]!)])).toEqual(
      ways.map(({ name }, index) => [name, agreement(verdicts[index]!)]),
    );
  }, 120_000);

  it('holds as it was, also against a checkpoint that was kept', async () => {
    const files = await richClaim();
    const kept = (JSON.parse(files.bundle) as { consistency: { from_note: string }[] }).consistency[0]?.from_note;
    const quoted = changedCsv(files.csv, () => undefined);
    const inputs = [
      inputOf(files.csv, files.bundle, files.vkey, kept),
      inputOf(files.csv, files.bundle, files.vkey, checkpointOf(files.log, SERVICE_KEY)),
      inputOf(`\ufeff${quoted.replaceAll('"\n', '"\r\n').slice(0, -2)}`, files.bundle),
      inputOf(files.csv.split('\n').slice(0, 1).join('\n'), files.bundle),
    ];
    expect(inputs.map((input) => verifyClaim(input).exit)).toEqual([0, 0, 0, 0]);
    expect(verifyInPython(inputs)?.map(({ exit }) => exit) ?? [0, 0, 0, 0]).toEqual([0, 0, 0, 0]);
  });

  it('passes without the reader having a key when somebody signs a log of his own, and says so', async () => {
    const forged = await rebuilt(await richClaim(), () => undefined);
    expect(verifyClaim(inputOf(forged.csv, forged.bundle))).toMatchObject({ exit: 0, trusted: false });
  });
});
