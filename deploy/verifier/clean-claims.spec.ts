import { describe, expect, it } from '@jest/globals';
import { randomClaim } from '../../test/support/claims/claim-files.js';
import { verdictLines, verifyClaim } from './tallyport-verify.mjs';

describe('a claim as the service writes it', () => {
  it('holds in 1,000 runs', async () => {
    let rows = 0;
    for (let seed = 1; seed <= 1000; seed++) {
      const { csv, bundle, vkey, rows: claimed } = await randomClaim(seed, 1 + (seed % 4));
      const verdict = verifyClaim({ claim: Buffer.from(csv), bundle: Buffer.from(bundle), key: vkey });
      const lines = verdictLines(verdict);
      expect({ seed, lines: lines.filter((line) => !line.startsWith('OK ')), exit: verdict.exit }).toEqual({
        seed,
        lines: [],
        exit: 0,
      });
      expect(lines).toHaveLength(claimed.length);
      rows += lines.length;
    }
    expect(rows).toBeGreaterThan(5000);
  }, 300_000);
});
