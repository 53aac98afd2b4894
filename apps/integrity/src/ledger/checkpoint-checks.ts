import type { Query } from '../scoring/query.js';
import { nextCheckpoints, type StoredCheckpoint } from './checkpoint-table.js';
import type { Findings } from './findings.js';
import { checkpointOf } from './goes-on.js';
import type { KeyEpochs } from './key-epochs.js';
import type { LogKey } from './log-keys.js';
import { rangeRoot } from './merkle.js';
import type { ChainState } from './walk-chain.js';

const PAGE = 1_000;

/** Checks stored checkpoints while the chain is walked: each one against the root recomputed at its size. */
export class CheckpointChecks {
  private queue: StoredCheckpoint[] = [];
  private loadedTo: number;
  private isLoaded = false;

  /** @param after only of more entries than this */
  constructor(
    private readonly query: Query,
    private readonly log: { assetId: string; origin: string },
    private readonly epochs: KeyEpochs,
    private readonly findings: Findings,
    after: number,
  ) {
    this.loadedTo = after;
  }

  /** Loads the checkpoints up to this size. */
  async ahead(size: number): Promise<void> {
    while (!this.isLoaded && this.loadedTo < size) {
      const page = await nextCheckpoints(this.query, this.log.assetId, this.loadedTo, PAGE);
      this.queue.push(...page);
      this.isLoaded = page.length < PAGE;
      this.loadedTo = page.at(-1)?.size ?? this.loadedTo;
    }
  }

  /** After each entry. */
  at({ size, range }: ChainState): void {
    const [next] = this.queue;
    if (next?.size !== size) return;
    this.queue.shift();
    this.check(next, rangeRoot(range));
  }

  /** After the last entry. */
  async end({ size }: ChainState): Promise<void> {
    await this.ahead(size + 1);
    for (const left of this.queue)
      this.findings.broken(`there is a checkpoint of ${left.size} entries, but there are ${size}`);
  }

  private check({ size, root, note, createdAt }: StoredCheckpoint, actual: Buffer): void {
    const wrong = (text: string): void => {
      this.findings.broken(`the checkpoint of ${size} entries ${text}`);
    };
    const key = this.epochs.current;
    const signed = checkpointOf(note, this.log.origin, key === undefined ? [] : [key]);
    if (signed === undefined) {
      wrong('is not signed by the key of its time');
      return;
    }
    if (signed.size !== size || !signed.root.equals(root)) wrong('does not say what is stored beside it');
    if (!signed.root.equals(actual)) wrong('has another root than the entries');
    if (key !== undefined && !isValidAt(key, createdAt)) wrong('was signed when its key was not valid');
  }
}

function isValidAt({ validFrom, validTo }: LogKey, time: Date): boolean {
  return validFrom <= time && (validTo === null || time <= validTo);
}
