import { commitment } from '#apps/integrity/src/claims/claim-samples.js';
import { refundRows } from '#apps/integrity/src/claims/refund-claim.js';
import { parseCsv } from '../../../deploy/verifier/tallyport-verify.mjs';
import { checkpointOf, buildLog } from './build-log.js';
import { claimFiles, type ClaimFiles, entriesOf, randomClaim, SERVICE_KEY, vkeyOf } from './claim-files.js';
import {
  addEntry,
  bundleOf,
  type BundleJson,
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
  withClaim,
} from './tampering.js';

/** The claim changed, the bundle as it was. */
export function tamperedCsv(files: ClaimFiles): Tampered[] {
  const [header = []] = parseCsv(files.csv);
  const cells = header.map((name, column) => ({
    name: `cell ${name} edited`,
    input: withClaim(files, ([, row = []]) => (row[column] = changed(row[column] ?? ''))),
    exit: 1 as const,
  }));
  const claim = (name: string, exit: 1 | 2, change: (records: string[][]) => void): Tampered => ({
    name,
    input: withClaim(files, change),
    exit,
  });
  const column = (name: string): number => header.indexOf(name);
  return [
    ...cells,
    claim('money of two rows swapped', 1, (records) => {
      const at = column('estimated_wasted');
      const values = records.map((row) => row[at]);
      const [, first] = values;
      const other = values.findIndex((value, index) => index > 0 && value !== first);
      if (records[1] !== undefined) records[1][at] = values[other] ?? '';
    }),
    claim('a row without cost in another currency', 1, (records) => {
      const row = records.find((cellsOfRow) => cellsOfRow[column('reasons')]?.includes('no_cost_data'));
      if (row !== undefined) row[column('currency')] = 'KWD';
    }),
    claim('evidence of another row', 1, ([, row = [], next = []]) => {
      row[column('evidence_hash')] = next[column('evidence_hash')] ?? '';
    }),
    claim('a row twice', 1, (records) => records.push(records[1] ?? [])),
    claim('a row made up', 1, (records) => {
      records.push((records[1] ?? []).with(column('evidence_hash'), 'ab'.repeat(32)));
    }),
    claim('chain_verified=false', 1, ([, row = []]) => (row[column('chain_verified')] = 'false')),
    claim('a notice removed', 1, (records) => {
      for (const row of records) row[column('reasons')] = row[column('reasons')]?.replace(/;?no_cost_data/, '') ?? '';
    }),
    claim('a column renamed', 2, ([row = []]) => (row[0] = 'as')),
    claim('a cell too many', 2, ([, row = []]) => row.push('x')),
    claim('no header', 2, (records) => records.shift()),
    { name: 'a stray quote', input: inputOf(`${files.csv}"x"y\n`, files.bundle, files.vkey), exit: 2 },
  ];
}

/** The bundle changed by somebody without the key; the claim fits as well as it can. */
export function tamperedBundle(files: ClaimFiles): Tampered[] {
  const seqOf = (bundle: BundleJson): number => bundle.rows[0]?.entries[0] ?? 0;
  const sampled = files.rows.find(({ sample_ips: ips }) => ips.length > 1)?.entries ?? [];
  const bundle = (name: string, change: (bundle: BundleJson) => void, exit: 1 | 2 = 1): Tampered => ({
    name,
    input: withBundle(files, change),
    exit,
  });
  const text = (name: string, change: (text: string) => string, exit: 1 | 2 = 1): Tampered => ({
    name,
    input: inputOf(files.csv, change(files.bundle), files.vkey),
    exit,
  });
  const supported = (one: BundleJson): BundleJson['entries'][number] =>
    one.entries.find(({ seq }) => seq === seqOf(one)) ?? { seq: 0, body: '' };
  const sampleOf = (one: BundleJson): BundleJson['samples'][number] =>
    one.samples.find(({ seq }) => sampled.includes(seq)) ?? { seq: 0, salt: '', ip: '' };
  return [
    bundle('a body edited', (one) => {
      const entry = supported(one);
      entry.body = entry.body.replace(/"flagged_sessions":(\d)/, '"flagged_sessions":9$1');
    }),
    bundle('a body with white space', (one) => (supported(one).body += ' ')),
    bundle('an unknown v', (one) => {
      const entry = supported(one);
      entry.body = entry.body.replace('"v":1}', '"v":2}');
    }),
    bundle('a body with a member twice', (one) => {
      const entry = supported(one);
      entry.body = entry.body.replace('"v":1}', '"v":1,"v":1}');
    }),
    bundle('an entry dropped', (one) => (one.entries = one.entries.filter(({ seq }) => seq !== seqOf(one)))),
    bundle('an entry twice', (one) => one.entries.push(supported(one))),
    bundle('two entries swapped', ({ entries }) => {
      const [first, second] = entries;
      if (first !== undefined && second !== undefined) [first.body, second.body] = [second.body, first.body];
    }),
    bundle('an entry under another seq', (one) => (supported(one).seq += 1)),
    bundle('a proof missing', (one) => {
      one.proofs = Object.fromEntries(Object.entries(one.proofs).filter(([seq]) => seq !== String(seqOf(one))));
    }),
    bundle('a proof cut', (one) => one.proofs[seqOf(one)]?.pop()),
    bundle('a proof edited', (one) => {
      const proof = one.proofs[seqOf(one)] ?? [];
      proof[0] = changed(proof[0] ?? '');
    }),
    bundle('a proof of another entry', ({ proofs, entries }) => {
      const [first, second] = entries;
      if (first !== undefined && second !== undefined) proofs[first.seq] = proofs[second.seq] ?? [];
    }),
    bundle('the size of the checkpoint edited', (one) => {
      one.checkpoint = one.checkpoint.replace(/\n(\d+)\n/, '\n9$1\n');
    }),
    bundle('the signature of the checkpoint edited', (one) => {
      one.checkpoint = one.checkpoint.replace(/(.{20})=*\n$/, (tail) => `AAAAAAAAAA${tail.slice(10)}`);
    }),
    bundle('an earlier checkpoint edited', ({ consistency: [step] }) => {
      if (step !== undefined) step.from_note = step.from_note.replace(/\n(\d+)\n/, '\n1$1\n');
    }),
    bundle('a consistency proof edited', ({ consistency }) => {
      const step = consistency.find(({ proof }) => proof.length > 0);
      if (step !== undefined) step.proof[0] = changed(step.proof[0] ?? '');
    }),
    bundle('a sample address edited', (one) => (sampleOf(one).ip = '198.51.100.7')),
    bundle('a salt edited', (one) => (sampleOf(one).salt = changed(sampleOf(one).salt))),
    bundle('a sample twice', (one) => one.samples.push(sampleOf(one))),
    bundle('a sample made up', (one) =>
      one.samples.push({ seq: seqOf(one), salt: '00'.repeat(16), ip: '198.51.100.7' }),
    ),
    bundle('a sample removed', (one) => (one.samples = one.samples.filter(({ ip }) => ip !== sampleOf(one).ip))),
    bundle('another time zone', (one) => (one.timezone = 'Pacific/Auckland')),
    bundle('another detector_config', (one) => {
      if (one.detector_config !== null) one.detector_config.detector_version = '1';
    }),
    bundle('the config entry dropped', (one) => {
      one.entries = one.entries.filter(({ body }) => !body.includes('"kind":"config"'));
    }),
    bundle('the range cut', (one) => (one.range.to = one.range.from)),
    bundle('the range turned', (one) => (one.range = { from: one.range.to, to: one.range.from })),
    bundle('generated a year later', (one) => (one.generated = '2027-12-31T12:00:00Z')),
    bundle('the currency of rows without cost', (one) => (one.currency = 'KWD')),
    bundle('evidence_hash of a row edited', ({ rows: [row] }) => {
      if (row !== undefined) row.evidence_hash = changed(row.evidence_hash);
    }),
    bundle('evidence of a row edited', ({ rows: [row] }) => row?.entries.pop()),
    bundle('a superseded entry mixed in', (one) => addEntry(one, files.log, supersededSeq(files))),
    bundle('an older cost basis mixed in', (one) => addEntry(one, files.log, olderBasis(files))),
    bundle('another asset', (one) => (one.asset = '019a0000-0000-7000-8000-0000000000bb')),
    text('a member twice', (all) => all.replace('"asset":', '"timezone":"UTC","asset":')),
    text('a member twice under an escape', (all) => all.replace('"asset":', '"\\u0061sset":"x","asset":')),
    bundle('another format', (one) => (one.format = 'evidence-bundle/2'), 2),
    text('a member missing', (all) => all.replace('"proofs":', '"prooofs":'), 2),
    text('half a file', (all) => all.slice(0, all.length / 2), 2),
  ];
}

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

function supersededSeq({ entries, rows }: ClaimFiles): number {
  const used = new Set(rows.flatMap((row) => row.entries));
  const successor = entries.detections.find(({ seq, payload }) => used.has(seq) && payload.supersedes !== null);
  return successor?.payload.supersedes ?? 0;
}

/** An older cost basis for a key that has a newer one in the claim. */
function olderBasis({ entries, rows, log }: ClaimFiles): number {
  const used = new Set(rows.flatMap((row) => row.entries));
  const keyOf = ({ channel, day, currency }: { channel: string; day: string; currency: string }): string =>
    JSON.stringify([channel, day, currency]);
  const inClaim = new Set(entries.bases.filter(({ seq }) => used.has(seq)).map(({ payload }) => keyOf(payload)));
  return (
    log.bodies.findIndex((body, index) => {
      const { kind, payload } = JSON.parse(body) as { kind: string; payload: Parameters<typeof keyOf>[0] };
      return kind === 'cost_basis' && !used.has(index + 1) && inClaim.has(keyOf(payload));
    }) + 1
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
