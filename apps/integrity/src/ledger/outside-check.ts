import { isDependencyAway } from '#runtime/dependency-away.js';
import type { Query } from '../scoring/query.js';
import { parseCheckpoint, type Checkpoint } from './checkpoint-note.js';
import type { CheckpointObjects } from './checkpoint-objects.js';
import { newestCheckpoints, type StoredCheckpoint } from './checkpoint-table.js';
import type { Findings } from './findings.js';
import { checkpointOf } from './goes-on.js';
import type { LogKey } from './log-keys.js';
import { appendToRange, rangeRoot } from './merkle.js';
import type { ChainState } from './walk-chain.js';

const NEWEST = 'the newest checkpoint of the object storage';

/** Holds the newest checkpoint of the object storage against the chain that is walked. */
export class OutsideCheck {
  private readonly size: number | undefined;
  /** Whether the chain has its root at its size; undefined: the chain did not get that far. */
  private holds: boolean | undefined;

  private constructor(
    private readonly objects: CheckpointObjects,
    private readonly log: { assetId: string; origin: string },
    private readonly findings: Findings,
    private readonly note: string | undefined,
    private readonly isAway: boolean,
  ) {
    this.size = note === undefined ? undefined : sizeOf(note);
  }

  /** Reads it. To be done before the snapshot is taken, where that can be. */
  static async read(
    objects: CheckpointObjects,
    log: { assetId: string; origin: string },
    findings: Findings,
  ): Promise<OutsideCheck> {
    try {
      return new OutsideCheck(objects, log, findings, await objects.newest(log.assetId), false);
    } catch (error) {
      if (!isDependencyAway(error)) throw error;
      return new OutsideCheck(objects, log, findings, undefined, true);
    }
  }

  /** After each entry. */
  at(state: ChainState, key: LogKey | undefined): void {
    if (state.size === this.size) this.holds = this.fits(rangeRoot(state.range), key);
  }

  /**
   * After the last entry.
   *
   * @param stored the newest checkpoint of the database as of the chain
   * @param queries `fresh` sees what was committed after the chain's snapshot; it is asked only when there is more
   */
  async end(
    state: ChainState,
    stored: StoredCheckpoint | undefined,
    key: LogKey | undefined,
    queries: { query: Query; fresh: Query },
  ): Promise<void> {
    const { query, fresh } = queries;
    if (this.isAway) {
      this.findings.open('the object storage is away');
      return;
    }
    if (this.note === undefined) {
      if (stored !== undefined) this.findings.open('there is no checkpoint in the object storage');
      return;
    }
    if (this.size === undefined) {
      this.findings.broken(`${NEWEST} is no checkpoint`);
      return;
    }
    if (this.size > state.size) this.holds = await this.holdsLater(state, this.size, key, fresh);
    if (this.holds !== true) this.findings.broken(`${NEWEST} is not one of this ledger`);
    else if (!(await this.isStored(this.size, this.size <= (stored?.size ?? 0) ? query : fresh)))
      this.findings.broken(`the checkpoint of ${this.size} entries is in the object storage, but not in the database`);
    if (stored !== undefined && !stored.isPending) await this.compare(stored);
  }

  /** The copy of the newest stored one, which an old pointer would hide. */
  private async compare({ size, note }: StoredCheckpoint): Promise<void> {
    const copy = size === this.size ? this.note : undefined;
    const object = await this.objects.ofSize(this.log.assetId, size);
    if ([copy, object].some((text) => text !== undefined && text !== note))
      this.findings.broken(`the object storage has another checkpoint of ${size} entries`);
    else if (object === undefined) this.findings.open(`the checkpoint of ${size} entries is not in the object storage`);
  }

  private async isStored(size: number, fresh: Query): Promise<boolean> {
    const [row] = await newestCheckpoints(fresh, this.log.assetId, 1, size);
    return row?.size === size && row.note === this.note;
  }

  /** A checkpoint signed after the snapshot: then its entries are there by now. */
  private async holdsLater(state: ChainState, size: number, key: LogKey | undefined, fresh: Query): Promise<boolean> {
    const rows = await fresh<{ entry_hash: Buffer; kind: string }>(
      'SELECT entry_hash, kind FROM integrity.evidence_entry WHERE asset_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq',
      [this.log.assetId, state.size, size],
    );
    let range = state.range;
    for (const [index, { entry_hash: hash }] of rows.entries()) range = appendToRange(range, state.size + index, hash);
    // After a rotation that this snapshot does not know its new key is not known either; the next look will.
    const isRotated = rows.some(({ kind }) => kind === 'key_rotation');
    return rows.length === size - state.size && this.fits(rangeRoot(range), key, isRotated);
  }

  private fits(root: Buffer, key: LogKey | undefined, isRotated = false): boolean {
    const note = this.note ?? '';
    const signed = isRotated ? unsigned(note) : checkpointOf(note, this.log.origin, key === undefined ? [] : [key]);
    return signed?.origin === this.log.origin && signed.root.equals(root);
  }
}

function sizeOf(note: string): number | undefined {
  return unsigned(note)?.size;
}

function unsigned(note: string): Checkpoint | undefined {
  try {
    return parseCheckpoint(note);
  } catch {
    return undefined;
  }
}
