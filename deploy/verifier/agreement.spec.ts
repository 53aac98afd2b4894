import { describe, expect, it } from '@jest/globals';
import { randomClaim } from '../../test/support/claims/claim-files.js';
import { agreement, verifyInPython } from '../../test/support/claims/python-verifier.js';
import type { Dice } from '../../test/support/claims/random-entries.js';
import { type ClaimInput, verifyClaim } from './tallyport-verify.mjs';

/** Changes, drops or adds one byte. */
function spoil(bytes: Buffer, roll: Dice): Buffer {
  const at = roll(bytes.length);
  const byte = Buffer.from([pickByte(roll)]);
  const way = roll(3);
  return Buffer.concat([
    bytes.subarray(0, at),
    way === 0 ? Buffer.alloc(0) : byte,
    bytes.subarray(way === 2 ? at : at + 1),
  ]);
}

function pickByte(roll: Dice): number {
  return Buffer.from('0123456789abcdef",:;{}[]\\\n\r =+-AZ').at(roll(34)) ?? 0;
}

describe('both verifiers', () => {
  it('agree on 200 random bundles and on 400 spoiled ones', async () => {
    const cases: ClaimInput[] = [];
    for (let seed = 5001; seed <= 5200; seed++) {
      const { csv, bundle, vkey, roll } = await randomClaim(seed, 1 + (seed % 5));
      const [claim, evidence] = [Buffer.from(csv), Buffer.from(bundle)];
      const key = seed % 3 === 0 ? {} : { key: vkey };
      cases.push({ claim, bundle: evidence, ...key });
      cases.push({ claim: spoil(claim, roll), bundle: evidence, ...key });
      cases.push({ claim, bundle: spoil(evidence, roll), ...key });
    }
    const verdicts = cases.map((one) => verifyClaim(one));
    expect(verdicts.filter(({ exit }) => exit === 0).length).toBeGreaterThanOrEqual(200);
    expect(verdicts.filter(({ exit }) => exit === 1).length).toBeGreaterThan(100);
    expect(verdicts.filter(({ exit }) => exit === 2).length).toBeGreaterThan(50);
    const others = verifyInPython(cases);
    if (others === undefined) return;
    for (const [index, verdict] of verdicts.entries())
      expect({ index, ...(agreement(others[index] ?? verdict) as object) }).toEqual({
        index,
        ...(agreement(verdict) as object),
      });
    expect(others).toHaveLength(cases.length);
  }, 300_000);
});
