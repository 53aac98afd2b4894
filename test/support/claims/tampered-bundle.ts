import type { ClaimFiles } from './claim-files.js';
import { addEntry, type BundleJson, changed, inputOf, type Tampered, withBundle } from './tampering.js';

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
    bundle('a superseded entry mixed in', (one) => {
      addEntry(one, files.log, supersededSeq(files));
    }),
    bundle('an older cost basis mixed in', (one) => {
      addEntry(one, files.log, olderBasis(files));
    }),
    bundle('another asset', (one) => (one.asset = '019a0000-0000-7000-8000-0000000000bb')),
    text('a member twice', (all) => all.replace('"asset":', '"timezone":"UTC","asset":')),
    text('a member twice under an escape', (all) => all.replace('"asset":', '"\\u0061sset":"x","asset":')),
    bundle('another format', (one) => (one.format = 'evidence-bundle/2'), 2),
    text('a member missing', (all) => all.replace('"proofs":', '"prooofs":'), 2),
    text('half a file', (all) => all.slice(0, all.length / 2), 2),
  ];
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
