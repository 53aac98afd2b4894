import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { writeCsv } from '#csv/write-csv.js';
import { REFUND_CLAIM_LAYOUT } from '#contracts/layouts/refund-claim.layout.js';
import { unverifiedRows } from '#apps/integrity/src/claims/chain-verified.js';
import { currentEntries, type CurrentEntries, readClaimEntry } from '#apps/integrity/src/claims/current-entries.js';
import { evidenceBundle } from '#apps/integrity/src/claims/evidence-bundle.js';
import { type ClaimOptions, refundRows, type RefundRow } from '#apps/integrity/src/claims/refund-claim.js';
import { formatVerifierKey, publicKeyBytes, verifierKey } from '#apps/integrity/src/ledger/signed-note.js';
import { type BuiltLog, buildLog, checkpointOf } from './build-log.js';
import { type Dice, dice, dayText, randomEntries } from './random-entries.js';

export const ASSET = '019a0000-0000-7000-8000-0000000000aa';

/** A signing key of a seed word: the same in every run. */
export function signingKey(word: string): KeyObject {
  const seed = createHash('sha256').update(word).digest();
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

export const SERVICE_KEY = signingKey('service');

export function vkeyOf(log: BuiltLog, key: KeyObject): string {
  return formatVerifierKey(verifierKey(log.origin, publicKeyBytes(key)));
}

/** A claim and its bundle as the service would write them. */
export interface ClaimFiles {
  log: BuiltLog;
  entries: CurrentEntries;
  options: ClaimOptions;
  rows: RefundRow[];
  csv: string;
  bundle: string;
  vkey: string;
}

/** All entries of a log that files are made of. */
export function entriesOf(log: BuiltLog, size = log.tree.size): CurrentEntries {
  const entries = log.bodies.map((body, index) =>
    readClaimEntry(index + 1, (log.hashes[index] as Buffer).toString('hex'), body),
  );
  return currentEntries(
    entries.filter((entry) => entry !== undefined),
    size,
  );
}

export interface Signing {
  key?: KeyObject;
  /** Sizes of earlier checkpoints. */
  earlier?: readonly number[];
}

export async function claimFiles(
  log: BuiltLog,
  options: ClaimOptions,
  { key = SERVICE_KEY, earlier = [] }: Signing = {},
): Promise<ClaimFiles> {
  const entries = entriesOf(log);
  const rows = refundRows(entries, options);
  const unverified = unverifiedRows(rows, entries, options, { problem: undefined, checkpointSize: log.tree.size });
  const claimed = rows.map((row) => ({ ...row, chain_verified: !unverified.has(row.evidence_hash) }));
  const vkey = vkeyOf(log, key);
  const bundle = evidenceBundle({
    assetId: log.asset,
    options,
    generated: new Date(`${options.today}T12:00:00Z`),
    rows,
    entries,
    checkpoint: checkpointOf(log, key),
    consistency: earlier.map((size) => ({
      from_note: checkpointOf(log, key, size),
      proof: log.tree.consistencyProof(size),
    })),
    keys: [vkey],
    bodies: (seqs) => seqs.map((seq) => ({ seq, body: log.bodies[seq - 1] as string })),
    proof: (seq) => log.tree.inclusionProof(seq - 1),
  });
  return {
    log,
    entries,
    options,
    rows,
    csv: (await buffer(writeCsv(claimed, { columns: REFUND_CLAIM_LAYOUT }).chunks)).toString(),
    bundle: (await buffer(bundle)).toString(),
    vkey,
  };
}

/** A random claim; most have some tens of rows, few have none. */
export async function randomClaim(seed: number, entities?: number): Promise<ClaimFiles & { roll: Dice }> {
  const roll = dice(seed);
  const { entries, samples, firstDay, lastDay, timezone } = randomEntries(roll, entities);
  const log = buildLog(ASSET, entries);
  const options = {
    from: firstDay,
    to: lastDay,
    timezone,
    currencyDefault: 'EUR',
    today: dayText(Date.parse(lastDay) / 86_400_000 + roll(90)),
    samples: samples,
  };
  const earlier = [...new Set([1 + roll(log.tree.size), 1 + roll(log.tree.size)])];
  return { ...(await claimFiles(log, options, { earlier })), roll };
}
