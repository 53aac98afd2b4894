import { isDeepStrictEqual } from 'node:util';
import { bundleSeqs } from './evidence-bundle.js';
import { type SamplesBySeq, samplesBySeq } from './claim-samples.js';
import { type CurrentEntries, type DetectionEntry } from './current-entries.js';
import { type ClaimOptions, refundRows, type RefundRow } from './refund-claim.js';

/** What the ledger says about itself at export time: conditions 1 to 3 of `chain_verified`. */
export interface LedgerVerdict {
  /** Why the chain or its checkpoint does not hold; undefined: everything holds. */
  problem: string | undefined;
  /** Of the newest checkpoint; 0: there is none. */
  checkpointSize: number;
}

/**
 * Why rows are not verified, by `evidence_hash`; a row without an item is `chain_verified`. Condition 4: from the entries
 * that a bundle would hold, and nothing else, the same row must follow, and every sample must open its commitment.
 */
export function unverifiedRows(
  rows: readonly RefundRow[],
  entries: CurrentEntries,
  options: ClaimOptions,
  ledger: LedgerVerdict,
): Map<string, string[]> {
  const samples = samplesBySeq(options.samples);
  const recomputed = new Map(
    refundRows(bundled(entries, rows, options), options).map((row) => [row.evidence_hash, row]),
  );
  const wrongSamples = new Set(
    entries.detections.filter((entry) => hasWrongSample(entry, samples)).map(({ seq }) => seq),
  );
  const common = [...(ledger.problem === undefined ? [] : [ledger.problem]), ...configCauses(entries, options)];
  const unverified = new Map<string, string[]>();
  for (const row of rows) {
    const causes = [...common];
    if (row.entries.some((seq) => seq > ledger.checkpointSize)) causes.push('an entry is behind the checkpoint');
    if (row.entries.some((seq) => wrongSamples.has(seq))) causes.push('a sample address is not what was committed to');
    if (!isDeepStrictEqual(recomputed.get(row.evidence_hash), row))
      causes.push('the row does not follow from its entries');
    if (causes.length > 0) unverified.set(row.evidence_hash, causes);
  }
  return unverified;
}

function configCauses({ config }: CurrentEntries, { timezone }: ClaimOptions): string[] {
  if (config === undefined) return ['there is no config entry'];
  return config.payload.timezone === timezone ? [] : ['the time zone is not the one of the config entry'];
}

/** The entries of a bundle of these rows. */
function bundled(entries: CurrentEntries, rows: readonly RefundRow[], options: ClaimOptions): CurrentEntries {
  const seqs = new Set(bundleSeqs(entries, rows, options));
  return {
    ...entries,
    detections: entries.detections.filter(({ seq }) => seqs.has(seq)),
    bases: entries.bases.filter(({ seq }) => seqs.has(seq)),
  };
}

/** Whether a sample of the entry, or one sample twice, stands for no commitment. */
function hasWrongSample({ seq, payload }: DetectionEntry, samples: SamplesBySeq): boolean {
  const known = samples.get(seq);
  if (known === undefined) return false;
  const commitments = new Set(payload.ip_commit.map(([hash]) => hash));
  return known.some(({ hash }) => !commitments.delete(hash));
}
