import { commitment } from '#apps/integrity/src/claims/claim-samples.js';
import { refundRows } from '#apps/integrity/src/claims/refund-claim.js';
import { checkpointOf, buildLog } from './build-log.js';
import { claimFiles, type ClaimFiles, entriesOf, randomClaim, SERVICE_KEY, vkeyOf } from './claim-files.js';
import {
  bundleOf,
  changed,
  changedCsv,
  doubleFlagged,
  inputOf,
  OTHER_KEY,
  proofOf,
  rebuilt,
  relog,
  type Tampered,
  transplant,
  withBundle,
} from './tampering.js';

/** What takes a log of one's own, another asset's, or an old one. */
export async function tamperedLogs(files: ClaimFiles): Promise<Tampered[]> {
  const { log, options, vkey } = files;
  const kept = checkpointOf(log, SERVICE_KEY, log.tree.size - 2);
  const forged = await rebuilt(files, doubleFlagged);
  const underName = bundleOf(forged);
  underName.keys = [vkey];
  const otherAsset = await rebuilt(files, doubleFlagged, '019a0000-0000-7000-8000-0000000000bb', SERVICE_KEY);
  const renamed = otherAsset.bundle.replaceAll(otherAsset.log.asset, log.asset);
  const short = buildLogOf(files, log.tree.size - 2);
  const old = await claimFiles(short, options);
  const stranger = await randomClaim(4242, 6);
  const spliced = withBundle(files, (bundle) => {
    const body = otherAsset.log.bodies[0] ?? '';
    bundle.entries = bundle.entries.map((entry) => (entry.seq === 1 ? { seq: 1, body } : entry));
  });
  const movedZone = { ...options, timezone: 'Pacific/Auckland' };
  const moved = await claimFiles(log, movedZone);
  const withSample = await withOwnSample(files);
  const unchained = withBundle(files, (bundle) => {
    transplant(
      bundle,
      relog(log, (body, seq) =>
        seq === 1 ? body.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${'0'.repeat(64)}"`) : body,
      ),
    );
    bundle.consistency = [];
  });
  return [
    { name: 'the chain rebuilt with another key', input: inputOf(forged.csv, forged.bundle, vkey), exit: 1 },
    { name: 'the same, the service named as the key', input: inputOf(forged.csv, JSON.stringify(underName)), exit: 1 },
    {
      name: 'the same, against a kept checkpoint',
      input: inputOf(forged.csv, forged.bundle, undefined, kept),
      exit: 1,
    },
    { name: 'another asset under this name', input: inputOf(otherAsset.csv, renamed, vkey), exit: 1 },
    { name: "another asset's bundle", input: inputOf(files.csv, otherAsset.bundle, vkey), exit: 1 },
    { name: "another asset's entry spliced in", input: spliced, exit: 1 },
    {
      name: 'an old bundle against a newer kept checkpoint',
      input: inputOf(old.csv, old.bundle, vkey, checkpointOf(log, SERVICE_KEY)),
      exit: 1,
    },
    {
      name: 'a kept checkpoint that nothing leads from',
      input: inputOf(files.csv, files.bundle, vkey, checkpointOf(stranger.log, SERVICE_KEY, 3)),
      exit: 1,
    },
    {
      name: 'a kept checkpoint of another log',
      input: inputOf(files.csv, files.bundle, vkey, checkpointOf(otherAsset.log, SERVICE_KEY)),
      exit: 1,
    },
    {
      name: 'a kept checkpoint by another key',
      input: inputOf(files.csv, files.bundle, vkey, checkpointOf(log, OTHER_KEY)),
      exit: 1,
    },
    { name: 'a kept checkpoint that is none', input: inputOf(files.csv, files.bundle, vkey, 'x\n'), exit: 2 },
    { name: 'no keys', input: inputOf(files.csv, JSON.stringify({ ...bundleOf(files), keys: [] })), exit: 1 },
    {
      name: 'the key of somebody else asked for',
      input: inputOf(files.csv, files.bundle, vkeyOf(log, OTHER_KEY)),
      exit: 1,
    },
    { name: 'a key that is none', input: inputOf(files.csv, files.bundle, changed(vkey)), exit: 2 },
    {
      name: 'claim and bundle moved to another time zone',
      input: inputOf(moved.csv.replaceAll(',false\n', ',true\n'), moved.bundle, vkey),
      exit: 1,
    },
    { name: 'claim and bundle with an address made up', input: withSample, exit: 1 },
    { name: 'a first entry that follows something else', input: unchained, exit: 1 },
    { name: 'a body edited, the claim recomputed', input: recomputed(files), exit: 1 },
  ];
}

/** The first entries of the log of a claim as a log of their own. */
function buildLogOf({ log }: ClaimFiles, size: number): ClaimFiles['log'] {
  return buildLog(
    log.asset,
    log.bodies.slice(0, size).map((body) => JSON.parse(body) as Parameters<typeof buildLog>[1][number]),
  );
}

/** An address of one's own in an entry's commitments, in the samples and in the claim. */
async function withOwnSample(files: ClaimFiles): Promise<Tampered['input']> {
  const sample = { seq: files.rows[0]?.entries[0] ?? 0, salt: '11'.repeat(16), ip: '198.51.100.9' };
  const forged = await rebuilt(files, (entry, seq) => {
    if (entry.kind === 'detection' && seq === sample.seq) entry.payload.ip_commit.push([commitment(sample), 99]);
  });
  const own = await claimFiles(forged.log, { ...files.options, samples: [...files.options.samples, sample] });
  const bundle = bundleOf(own);
  bundle.checkpoint = bundleOf(files).checkpoint;
  return inputOf(own.csv, JSON.stringify(bundle), files.vkey);
}

/** Flagged sessions of one entry raised, and every number of the claim after it; only hashes can tell. */
function recomputed(files: ClaimFiles): Tampered['input'] {
  const bundle = bundleOf(files);
  const edited = relog(files.log, (body) => body.replace(/"flagged_sessions":(\d+)/, '"flagged_sessions":1$1'));
  const rows = refundRows(entriesOf(edited), files.options);
  const byEvidence = new Map(rows.map((row) => [row.entries.join(), row]));
  for (const entry of bundle.entries) entry.body = edited.bodies[entry.seq - 1] ?? '';
  bundle.rows = rows.map(({ evidence_hash, entries }) => ({ evidence_hash, entries: [...entries] }));
  bundle.proofs = Object.fromEntries(bundle.entries.map(({ seq }) => [seq, proofOf(edited, seq)]));
  const csv = changedCsv(files.csv, (records) => {
    for (const [index, row] of [...byEvidence.values()].entries()) {
      const cells = records[index + 1];
      if (cells === undefined) continue;
      cells[5] = String(row.flagged_sessions);
      cells[8] = row.estimated_wasted;
      cells[12] = row.evidence_hash;
    }
  });
  return inputOf(csv, JSON.stringify(bundle), files.vkey);
}
