import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ObjectStore } from '#storage/object-store.js';
import type { ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { currentEntries, readClaimEntry, type ClaimEntry, type CurrentEntries } from '../claims/current-entries.js';
import type { LedgerVerdict } from '../claims/chain-verified.js';
import type { RevealedSample } from '../claims/claim-samples.js';
import type { ConsistencyStep } from '../claims/evidence-bundle.js';
import { flaggedInRange } from '../claims/refund-claim.js';
import { Checkpoints } from '../ledger/checkpoints.js';
import { freezeLedger } from '../ledger/ledger-alarm.js';
import type { MerkleTree } from '../ledger/merkle-tree.js';
import { SigningKeys } from '../ledger/signing-keys.js';
import { verifyChain, type VerifiedChain, type WalkedEntry } from '../ledger/verify-chain.js';
import type { Query } from '../scoring/query.js';

const DAY = /"day":"(\d{4}-\d{2}-\d{2})"/;

/** What the ledger of an asset says at an export, verified from its first entry. */
export interface LedgerView {
  /** Entries that count: those under the checkpoint; without one all. */
  size: number;
  /** Of the days of the range. */
  current: CurrentEntries;
  /** Of its detections. */
  samples: readonly RevealedSample[];
  verdict: LedgerVerdict;
  /** Undefined: there is none over all entries. */
  checkpoint: { note: string; keys: readonly string[]; consistency: readonly ConsistencyStep[] } | undefined;
  /** Under the checkpoint, or without one under all entries. @throws Error when proofs were not asked for */
  proof(seq: number): readonly Buffer[];
}

/** Reads ledgers for files. */
@Injectable()
export class LedgerReader {
  /** Entries that a checkpoint covers since the request was prepared. */
  private readonly covered = new WeakMap<ExportRequest, number>();

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
    @Inject(Checkpoints) private readonly checkpoints: Checkpoints,
    @Inject(SigningKeys) private readonly keys: SigningKeys,
  ) {}

  /** Sees to a checkpoint, before the snapshot is taken. */
  async prepare(request: ExportRequest): Promise<void> {
    const checkpoint = await this.checkpoints.ensure(request.assetId);
    if (checkpoint !== undefined) this.covered.set(request, checkpoint.size);
  }

  /** @param withProofs for the bundle: 64 bytes an entry are kept */
  async read(snapshot: ExportSnapshot, request: ExportRequest, { withProofs = false } = {}): Promise<LedgerView> {
    const { assetId } = request;
    const covered = this.covered.get(request);
    const fresh: Query = (sql, values) => this.dataSource.query(sql, values);
    const entries = new EntriesOfRange(request.parameters);
    const chain = await verifyChain((sql, values) => snapshot.query(sql, values), assetId, covered ?? 0, {
      objects: this.objects,
      fresh,
      withTree: withProofs,
      onEntry: (entry) => {
        entries.add(entry);
      },
      configured: [this.keys.current, this.keys.previous].filter((key) => key !== undefined),
    });
    if (chain.isBroken) await freezeLedger(fresh, assetId, chain.problem ?? 'it does not verify');
    // Entries behind the checkpoint of this export wait for the next one; without one they count, unproven.
    const size = covered === undefined ? chain.size : Math.min(chain.checkpoint?.size ?? 0, chain.size);
    const current = currentEntries(entries.list, size);
    const checkpointSize = chain.checkpoint?.size ?? 0;
    return {
      size,
      current,
      samples: await samplesOf(snapshot, request, current),
      verdict: { problem: chain.problem, checkpointSize },
      checkpoint: checkpointOf(chain, size),
      proof: (seq) => (seq >= 1 && seq <= size ? treeOf(chain).inclusionProof(seq - 1, size) : []),
    };
  }
}

/** Detections and costs of the days of a range, and what detection worked with. */
class EntriesOfRange {
  readonly list: ClaimEntry[] = [];

  constructor(private readonly range: { from: string; to: string }) {}

  add({ seq, kind, body, hash }: WalkedEntry): void {
    if (kind !== 'config' && !((kind === 'detection' || kind === 'cost_basis') && this.holds(body))) return;
    try {
      const entry = readClaimEntry(seq, hash.toString('hex'), body);
      if (entry !== undefined) this.list.push(entry);
    } catch {
      // A body that was changed into something else than JSON; the chain says so.
    }
  }

  /** Parsing all bodies would take most of the time. No text before the day holds a quote that is not escaped. */
  private holds(body: string): boolean {
    const [, day = ''] = DAY.exec(body) ?? [];
    return day >= this.range.from && day <= this.range.to;
  }
}

async function samplesOf(
  snapshot: ExportSnapshot,
  { assetId, parameters }: ExportRequest,
  { detections }: CurrentEntries,
): Promise<RevealedSample[]> {
  const seqs = flaggedInRange(detections, parameters)
    .filter(({ payload }) => payload.ip_commit.length > 0)
    .map(({ seq }) => seq);
  if (seqs.length === 0) return [];
  const rows = await snapshot.query<{ seq: string; salt: string; ip: string }>(
    `SELECT seq, encode(salt, 'hex') AS salt, ip
       FROM integrity.evidence_entry JOIN integrity.evidence_sample USING (asset_id, entry_hash)
      WHERE asset_id = $1 AND seq = ANY($2) ORDER BY seq, salt`,
    [assetId, seqs],
  );
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

function checkpointOf(chain: VerifiedChain, size: number): LedgerView['checkpoint'] {
  const { checkpoint, earlier, keys, tree } = chain;
  if (checkpoint?.size !== size || size === 0) return undefined;
  const consistency: ConsistencyStep[] =
    earlier === undefined || tree === undefined || earlier.size > tree.size
      ? []
      : [{ from_note: earlier.note, proof: tree.consistencyProof(earlier.size, size) }];
  return { note: checkpoint.note, keys, consistency };
}

function treeOf({ tree }: VerifiedChain): MerkleTree {
  if (tree === undefined) throw new Error('There is no tree to prove with.');
  return tree;
}
