import { type CurrentEntries } from './current-entries.js';
import { type RevealedSample, samplesBySeq } from './claim-samples.js';
import { type ClaimOptions, flaggedInRange, type RefundRow } from './refund-claim.js';

const CHUNK_CHARACTERS = 65_536;
const LIST = ['[', ']'] as const;
const RECORD = ['{', '}'] as const;

/** That a checkpoint follows from an earlier one that was published. */
export interface ConsistencyStep {
  /** The signed note of the earlier checkpoint. */
  from_note: string;
  proof: readonly Buffer[];
}

/** What a bundle is made of. */
export interface EvidenceBundle {
  assetId: string;
  /** The same as the claim was made with, samples included. */
  options: ClaimOptions;
  generated: Date;
  rows: readonly RefundRow[];
  entries: CurrentEntries;
  /** The signed note; covers all entries. */
  checkpoint: string;
  consistency: readonly ConsistencyStep[];
  /** Verifier keys of the log, newest last. */
  keys: readonly string[];
  /** The stored texts of these entries, ascending. Called once. */
  bodies(seqs: readonly number[]): Iterable<BundleBody> | AsyncIterable<BundleBody>;
  /** The inclusion proof of the entry under the checkpoint. */
  proof(seq: number): readonly Buffer[];
}

export interface BundleBody {
  seq: number;
  body: string;
}

/**
 * The entries of a bundle, ascending: what the rows rest on, the other likely or confirmed days of the same entities in
 * the range, which decide about severities, and the config. From them alone the same rows follow.
 */
export function bundleSeqs(
  entries: CurrentEntries,
  rows: readonly RefundRow[],
  range: Pick<ClaimOptions, 'from' | 'to'>,
): number[] {
  const supporting = new Set(rows.flatMap((row) => row.entries));
  const flagged = flaggedInRange(entries.detections, range);
  const entities = new Set(flagged.filter(({ seq }) => supporting.has(seq)).map(({ payload }) => payload.entity));
  for (const { seq, payload } of flagged) if (entities.has(payload.entity)) supporting.add(seq);
  if (entries.config !== undefined) supporting.add(entries.config.seq);
  return [...supporting].sort((a, b) => a - b);
}

/**
 * The JSON of `evidence-bundle/1` (deploy/verifier/VERIFY.md), in pieces. Holds no more than the samples and one piece in
 * memory. Without a config entry `detector_config` is null: such a bundle verifies nowhere, because its time zone is not
 * proven.
 */
export async function* evidenceBundle(bundle: EvidenceBundle): AsyncGenerator<Buffer> {
  let pending = '';
  for await (const text of bundleTexts(bundle)) {
    pending += text;
    if (pending.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(`${pending}\n`);
}

async function* bundleTexts(bundle: EvidenceBundle): AsyncGenerator<string> {
  const { assetId, options, rows, entries } = bundle;
  const { from, to } = options;
  const seqs = bundleSeqs(entries, rows, options);
  const generated = `${bundle.generated.toISOString().slice(0, 19)}Z`;
  const head = { format: 'evidence-bundle/1', asset: assetId, range: { from, to }, generated };
  yield JSON.stringify(head).slice(0, -1);
  yield* member('rows', LIST, rows, (row) =>
    JSON.stringify({ evidence_hash: row.evidence_hash, entries: row.entries }),
  );
  yield* member('entries', LIST, bundle.bodies(seqs), ({ seq, body }) => JSON.stringify({ seq, body }));
  yield* member('proofs', RECORD, seqs, (seq) => `"${seq}":${JSON.stringify(bundle.proof(seq).map(hex))}`);
  yield `,"checkpoint":${JSON.stringify(bundle.checkpoint)}`;
  yield* member('consistency', LIST, bundle.consistency, (step) =>
    JSON.stringify({ from_note: step.from_note, proof: step.proof.map(hex) }),
  );
  yield `,"keys":${JSON.stringify(bundle.keys)}`;
  yield* member('samples', LIST, openSamples(entries, seqs, options.samples), ({ seq, salt, ip }) =>
    JSON.stringify({ seq, salt, ip }),
  );
  const tail = {
    detector_config: entries.config?.payload ?? null,
    timezone: options.timezone,
    currency: options.currencyDefault,
  };
  yield `,${JSON.stringify(tail).slice(1)}`;
}

async function* member<Item>(
  name: string,
  [open, close]: readonly [string, string],
  items: Iterable<Item> | AsyncIterable<Item>,
  format: (item: Item) => string,
): AsyncGenerator<string> {
  let before = `,"${name}":${open}`;
  for await (const item of items) {
    yield before + format(item);
    before = ',';
  }
  yield (before === ',' ? '' : before) + close;
}

/** Samples of these entries that open one of their commitments, by seq. */
function openSamples(
  { detections }: CurrentEntries,
  seqs: readonly number[],
  samples: readonly RevealedSample[],
): RevealedSample[] {
  const wanted = new Set(seqs);
  const bySeq = samplesBySeq(samples);
  return detections
    .filter(({ seq }) => wanted.has(seq))
    .flatMap(({ seq, payload }) => {
      const commitments = new Set(payload.ip_commit.map(([hash]) => hash));
      return (bySeq.get(seq) ?? []).filter(({ hash }) => commitments.delete(hash));
    });
}

function hex(hash: Buffer): string {
  return hash.toString('hex');
}
