import { leafHash } from '#apps/integrity/src/ledger/merkle.js';
import type { EntryBody, NewEntry } from '#apps/integrity/src/ledger/payloads.js';
import { type ClaimInput, parseCsv } from '../../../deploy/verifier/tallyport-verify.mjs';
import { type BuiltLog, buildLog, checkpointOf } from './build-log.js';
import { ASSET, claimFiles, type ClaimFiles, randomClaim, SERVICE_KEY, signingKey } from './claim-files.js';

/** The members of a bundle that somebody may change. */
export interface BundleJson {
  format: string;
  asset: string;
  range: { from: string; to: string };
  generated: string;
  rows: { evidence_hash: string; entries: number[] }[];
  entries: { seq: number; body: string }[];
  proofs: Record<string, string[]>;
  checkpoint: string;
  consistency: { from_note: string; proof: string[] }[];
  keys: string[];
  samples: { seq: number; salt: string; ip: string }[];
  detector_config: Record<string, unknown> | null;
  timezone: string;
  currency: string;
}

/** What somebody hands to the verifier, and to which exit code it must lead. */
export interface Tampered {
  name: string;
  input: ClaimInput;
  exit: 1 | 2;
}

export const OTHER_KEY = signingKey('somebody else');

/** A claim that holds all a tamperer wants: several currencies, samples, a row without cost, two assets' worth of bodies. */
export async function richClaim(): Promise<ClaimFiles> {
  for (let seed = 1; ; seed++) {
    const files = await randomClaim(seed, 6);
    const { rows, entries } = files;
    const currencies = new Set(
      rows.filter(({ reasons }) => !reasons.includes('no_cost_data')).map((row) => row.currency),
    );
    const raised = entries.detections.some(
      ({ payload }) => payload.paid === true && payload.severity === 'likely' && payload.counts.flagged_sessions > 0,
    );
    const isRich =
      rows.length > 4 &&
      currencies.size > 1 &&
      raised &&
      rows.some(({ reasons }) => reasons.includes('no_cost_data')) &&
      rows.some(({ sample_ips: ips }) => ips.length > 1) &&
      rows.some(({ severity }) => severity === 'likely') &&
      entries.detections.some(({ payload }) => payload.supersedes !== null && payload.counts.flagged_sessions > 0) &&
      files.log.bodies.filter((body) => body.includes('"cost_basis"')).length > entries.bases.length &&
      files.options.timezone !== 'UTC' &&
      !JSON.stringify(rows).includes('outside_60_day_window');
    if (isRich) return files;
  }
}

export function bundleOf(files: ClaimFiles): BundleJson {
  return JSON.parse(files.bundle) as BundleJson;
}

/** The same claim beside a bundle that was changed. */
export function withBundle(files: ClaimFiles, change: (bundle: BundleJson) => void): ClaimInput {
  const bundle = bundleOf(files);
  change(bundle);
  return inputOf(files.csv, JSON.stringify(bundle), files.vkey);
}

/** Records of the claim, header first, changed. */
export function withClaim(files: ClaimFiles, change: (records: string[][]) => void): ClaimInput {
  return inputOf(changedCsv(files.csv, change), files.bundle, files.vkey);
}

export function changedCsv(csv: string, change: (records: string[][]) => void): string {
  const records = parseCsv(csv);
  change(records);
  return records.map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');
}

export function inputOf(csv: string, bundle: string, key?: string, checkpoint?: string): ClaimInput {
  return {
    claim: Buffer.from(csv),
    bundle: Buffer.from(bundle),
    ...(key === undefined ? {} : { key }),
    ...(checkpoint === undefined ? {} : { checkpoint: Buffer.from(checkpoint) }),
  };
}

/** The entries behind a log, changed, in a new log that is as good as the old one but for the key. */
export async function rebuilt(
  files: ClaimFiles,
  change: (entry: NewEntry, seq: number) => void,
  asset = ASSET,
  key = OTHER_KEY,
): Promise<ClaimFiles> {
  const entries = files.log.bodies.map((body, index) => {
    const { kind, payload } = JSON.parse(body) as EntryBody;
    const entry = { kind, payload } as NewEntry;
    change(entry, index + 1);
    return entry;
  });
  return claimFiles(buildLog(asset, entries), files.options, { key, earlier: [1, 5] });
}

export function doubleFlagged(entry: NewEntry): void {
  if (entry.kind === 'detection') entry.payload.counts.flagged_sessions *= 2;
}

/** A log whose bodies were changed as text, signed by the service itself: what only the service could get wrong. */
export function relog(log: BuiltLog, change: (body: string, seq: number) => string): BuiltLog {
  const bodies = log.bodies.map((body, index) => change(body, index + 1));
  const copy = buildLog(log.asset, []);
  for (const body of bodies) {
    copy.bodies.push(body);
    copy.hashes.push(leafHash(body));
    copy.tree.append(leafHash(body));
  }
  return copy;
}

/** Puts the bodies, proofs and checkpoint of another log into a bundle. */
export function transplant(bundle: BundleJson, log: BuiltLog): void {
  for (const entry of bundle.entries) entry.body = log.bodies[entry.seq - 1] ?? '';
  bundle.proofs = Object.fromEntries(bundle.entries.map(({ seq }) => [seq, proofOf(log, seq)]));
  bundle.checkpoint = checkpointOf(log, SERVICE_KEY);
  bundle.consistency = [];
}

export function proofOf(log: BuiltLog, seq: number): string[] {
  return log.tree.inclusionProof(seq - 1).map((hash) => hash.toString('hex'));
}

/** Adds an entry of the log to a bundle. */
export function addEntry(bundle: BundleJson, log: BuiltLog, seq: number): void {
  bundle.entries.push({ seq, body: log.bodies[seq - 1] ?? '' });
  bundle.proofs[seq] = proofOf(log, seq);
}

/** Another digit, letter or sign in place of the last one. */
export function changed(text: string): string {
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
}
