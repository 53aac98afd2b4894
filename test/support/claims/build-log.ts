import type { KeyObject } from 'node:crypto';
import { signCheckpoint } from '#apps/integrity/src/ledger/checkpoint-note.js';
import { entryBody, genesisHash } from '#apps/integrity/src/ledger/ledger.js';
import { leafHash } from '#apps/integrity/src/ledger/merkle.js';
import { MerkleTree } from '#apps/integrity/src/ledger/merkle-tree.js';
import type { NewEntry } from '#apps/integrity/src/ledger/payloads.js';

/** A log in memory. */
export interface BuiltLog {
  asset: string;
  origin: string;
  bodies: string[];
  hashes: Buffer[];
  tree: MerkleTree;
}

/** Chains entries as the ledger does, without a database. */
export function buildLog(asset: string, entries: readonly NewEntry[]): BuiltLog {
  const tree = new MerkleTree();
  const log: BuiltLog = { asset, origin: `tallyport/integrity/${asset}`, bodies: [], hashes: [], tree };
  let prev = genesisHash(asset);
  entries.forEach((entry, index) => {
    const at = new Date(Date.UTC(2026, 8, 1) + index * 1000);
    const body = entryBody(asset, index + 1, prev, at, entry);
    prev = leafHash(body);
    log.bodies.push(body);
    log.hashes.push(prev);
    tree.append(prev);
  });
  return log;
}

/** The signed checkpoint of the first `size` entries. */
export function checkpointOf({ origin, tree }: BuiltLog, key: KeyObject, size = tree.size): string {
  return signCheckpoint({ origin, size, root: tree.root(size) }, key);
}
