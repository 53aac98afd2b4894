import { describe, expect, it } from '@jest/globals';
import { basis, config, detection, OPTIONS } from '../../../../test/support/claims/claim-entries.js';
import { entriesOf, randomClaim } from '../../../../test/support/claims/claim-files.js';
import { unverifiedRows } from './chain-verified.js';
import { commitment } from './claim-samples.js';
import { currentEntries } from './current-entries.js';
import { bundleSeqs } from './evidence-bundle.js';
import { refundRows } from './refund-claim.js';

const HOLDS = { problem: undefined, checkpointSize: 100 };
const sample = { seq: 2, salt: '0f'.repeat(16), ip: '203.0.113.7' };
const entries = currentEntries(
  [config(1), detection(2, { ip_commit: [[commitment(sample), 3]] }), basis(3), detection(4, { asn: 1, entity: 'b' })],
  100,
);
const options = { ...OPTIONS, samples: [sample] };
const rows = refundRows(entries, options);

function causes(change: {
  rows?: typeof rows;
  entries?: Partial<typeof entries>;
  options?: Partial<typeof options>;
  ledger?: Partial<typeof HOLDS> | { problem: string };
}): string[][] {
  const changed = { ...entries, ...change.entries };
  const found = unverifiedRows(
    change.rows ?? rows,
    changed,
    { ...options, ...change.options },
    { ...HOLDS, ...change.ledger },
  );
  return rows.map((row) => found.get(row.evidence_hash) ?? []);
}

describe('chain_verified', () => {
  it('is true when everything holds', () => {
    expect(causes({})).toEqual([[], []]);
  });

  it('is false for all rows when the ledger does not hold', () => {
    expect(causes({ ledger: { problem: 'entry 3 does not hash to its entry_hash' } })).toEqual(
      rows.map(() => ['entry 3 does not hash to its entry_hash']),
    );
  });

  it('is false for rows with an entry behind the checkpoint', () => {
    const last = rows.findIndex((row) => row.entries.includes(4));
    const found = causes({ ledger: { checkpointSize: 3 } });
    expect(found[last]).toEqual(['an entry is behind the checkpoint']);
    expect(found.filter((_, index) => index !== last).flat()).toEqual([]);
  });

  it('is false for a row that says something else than its entries', () => {
    const raised = rows.map((row) => ({ ...row, estimated_wasted: '999.00' }));
    expect(causes({ rows: raised }).flat()).toEqual(rows.map(() => 'the row does not follow from its entries'));
  });

  it('is false for a row with a sample address that was never committed to', () => {
    const wrong = causes({ options: { samples: [{ ...sample, ip: '203.0.113.8' }] } });
    expect(wrong.flat()).toContain('a sample address is not what was committed to');
    const twice = causes({ options: { samples: [sample, sample] } });
    expect(twice.flat()).toContain('a sample address is not what was committed to');
  });

  it('is true after samples were erased', () => {
    const erased = { ...options, samples: [] };
    expect(unverifiedRows(refundRows(entries, erased), entries, erased, HOLDS).size).toBe(0);
  });

  it('is false without a config entry, or with one of another time zone', () => {
    expect(causes({ entries: { config: undefined } }).flat()).toEqual(rows.map(() => 'there is no config entry'));
    expect(causes({ entries: { config: config(1, 'UTC') } }).flat()).toEqual(
      rows.map(() => 'the time zone is not the one of the config entry'),
    );
  });
});

describe('the entries of a bundle', () => {
  it('are enough for the same rows, and no more than the ledger has', async () => {
    for (let seed = 301; seed <= 340; seed++) {
      const { log, rows: claimed, entries: all, options: made } = await randomClaim(seed, 8);
      const seqs = new Set(bundleSeqs(all, claimed, made));
      const kept = entriesOf(log);
      const few = {
        detections: kept.detections.filter(({ seq }) => seqs.has(seq)),
        bases: kept.bases.filter(({ seq }) => seqs.has(seq)),
        config: kept.config,
      };
      expect(refundRows(few, made)).toEqual(claimed);
      expect(seqs.size).toBeLessThanOrEqual(log.tree.size);
    }
  });
});
