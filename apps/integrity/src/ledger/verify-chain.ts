import type { KeyObject } from 'node:crypto';
import type { ObjectStore } from '#storage/object-store.js';
import type { Query } from '../scoring/query.js';
import { CheckpointChecks } from './checkpoint-checks.js';
import { CheckpointObjects } from './checkpoint-objects.js';
import { newestCheckpoints, type StoredCheckpoint } from './checkpoint-table.js';
import { Findings, type Finding } from './findings.js';
import { KeyEpochs } from './key-epochs.js';
import { readHead, type LedgerHead } from './ledger.js';
import { keysOfLog, type LogKey } from './log-keys.js';
import { MerkleTree } from './merkle-tree.js';
import { rangeRoot } from './merkle.js';
import { OutsideCheck } from './outside-check.js';
import { formatVerifierKey, publicKeyBytes } from './signed-note.js';
import { walkChain, type ChainState } from './walk-chain.js';

export interface VerifyOptions {
  objects: ObjectStore;
  /** Sees what was committed since the snapshot of `query`. Absent: `query` is no snapshot. */
  fresh?: Query;
  /** Keeps the tree for proofs, 64 bytes an entry. */
  withTree?: boolean;
  /** Checks every checkpoint, not only the two newest. */
  everyCheckpoint?: boolean;
  /** The private keys of this process: the log must be signed by one of them. */
  configured?: readonly KeyObject[];
  /** Sees each entry as it is rehashed, with the hash computed: to read the ledger once and not twice. */
  onEntry?: (entry: WalkedEntry) => void;
  signal?: AbortSignal;
}

export interface WalkedEntry {
  seq: number;
  kind: string;
  body: string;
  hash: Buffer;
}

export interface VerifiedChain {
  assetId: string;
  /** Nothing at all was found: `chain_verified` may be true. */
  isVerified: boolean;
  /** The evidence was changed. */
  isBroken: boolean;
  findings: readonly Finding[];
  /** The findings in one clause; undefined: everything holds. */
  problem: string | undefined;
  /** Entries, rehashed from the first. */
  size: number;
  /** Over all of them. */
  root: Buffer;
  lastHash: Buffer;
  /** The newest, whose root is that of the entries when everything holds. */
  checkpoint: StoredCheckpoint | undefined;
  /** The one before, for a consistency proof. */
  earlier: StoredCheckpoint | undefined;
  /** Verifier keys of the log, newest last. */
  keys: readonly string[];
  /** Of the hashes as computed, when asked for. */
  tree: MerkleTree | undefined;
}

/**
 * Verifies the ledger of an asset from its first entry: every hash and link, the head, checkpoints with signature, key and
 * recomputed root, and the newest copy in the object storage. Writes nothing. All of `query` has to be of one moment.
 *
 * @param upToSize the newest checkpoint must cover so many entries; 0: any
 * @throws only when the database fails
 */
export async function verifyChain(
  query: Query,
  assetId: string,
  upToSize: number,
  options: VerifyOptions,
): Promise<VerifiedChain> {
  const findings = new Findings();
  const origin = await originFor(query, assetId);
  const outside = await OutsideCheck.read(new CheckpointObjects(options.objects), { assetId, origin }, findings);
  const head = await readHead(query, assetId);
  const keys = await keysOfLog(query, origin);
  const epochs = new KeyEpochs(keys, findings);
  const [newest, earlier] = await newestCheckpoints(query, assetId, 2);
  const after = options.everyCheckpoint === true ? 0 : ((earlier ?? newest)?.size ?? 1);
  const checks = new CheckpointChecks(query, { assetId, origin }, epochs, findings, Math.max(after - 1, 0));
  const tree = options.withTree === true ? new MerkleTree() : undefined;
  const state = await walkChain(query, assetId, {
    beforePage: (lastSeq) => checks.ahead(lastSeq),
    onEntry: ({ kind, body }, now) => {
      if (kind === 'key_rotation') epochs.rotate(now.size, body);
      tree?.append(now.lastHash);
      checks.at(now);
      outside.at(now, epochs.current);
      options.onEntry?.({ seq: now.size, kind, body, hash: now.lastHash });
    },
    onFinding: (finding) => {
      findings.add(finding);
    },
    signal: options.signal,
  });
  epochs.end();
  checkHead(head, state, findings);
  await checks.end(state);
  await outside.end(state, newest, epochs.current, { query, fresh: options.fresh ?? query });
  if (newest === undefined && state.size > 0) findings.open('there is no checkpoint');
  if (newest !== undefined && newest.size < upToSize)
    findings.open(`the newest checkpoint covers ${newest.size} of ${upToSize} entries`);
  checkConfigured(keys, options.configured, findings);
  return {
    assetId,
    isVerified: findings.isEmpty,
    isBroken: findings.isBroken,
    findings: findings.list,
    problem: findings.summary,
    size: state.size,
    root: rangeRoot(state.range),
    lastHash: state.lastHash,
    checkpoint: newest,
    earlier,
    keys: keys.map(formatVerifierKey),
    tree,
  };
}

/** The name of the log; of one without a head, which is a finding of its own, that of its newest key. */
async function originFor(query: Query, assetId: string): Promise<string> {
  const [row] = await query<{ origin: string }>(
    `SELECT origin FROM integrity.ledger_head WHERE asset_id = $1
      UNION ALL SELECT name FROM integrity.signing_key WHERE name LIKE '%/integrity/' || $1::text LIMIT 1`,
    [assetId],
  );
  return row?.origin ?? '';
}

function checkHead(head: LedgerHead | undefined, state: ChainState, findings: Findings): void {
  if (head === undefined) {
    if (state.size > 0) findings.broken('there are entries, but no head');
    return;
  }
  if (head.size !== state.size) findings.broken(`the head counts ${head.size} entries, but there are ${state.size}`);
  else if (!head.lastHash.equals(state.lastHash) || !rangeRoot(head.range).equals(rangeRoot(state.range)))
    findings.broken('the head is not that of the entries');
}

/** Somebody who owns the database can register a key, but not one that we hold. */
function checkConfigured(keys: readonly LogKey[], configured: readonly KeyObject[] = [], findings: Findings): void {
  const active = keys.at(-1);
  if (active === undefined || configured.length === 0) return;
  if (!configured.some((key) => publicKeyBytes(key).equals(active.publicKey)))
    findings.open(`the log is signed by the key ${active.id}, which is not the one that is configured`);
}
