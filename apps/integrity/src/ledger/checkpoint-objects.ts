import type { Readable } from 'node:stream';
import { checkpointKey, latestCheckpointKey, ObjectNotFoundError, type ObjectStore } from '#storage/object-store.js';
import { parseCheckpoint } from './checkpoint-note.js';
import { LedgerTamperedError } from './ledger-alarm.js';

/** A checkpoint has some 300 bytes. */
const MAX_BYTES = 100_000;
const TEXT = { contentType: 'text/plain; charset=utf-8' };

/** The copies of checkpoints in the object storage, which a superuser of the database can't change. */
export class CheckpointObjects {
  constructor(private readonly store: ObjectStore) {}

  /**
   * The note of the newest checkpoint, or undefined when there is none.
   *
   * @throws what `isDependencyAway` recognises when the store is away
   */
  newest(assetId: string): Promise<string | undefined> {
    return this.read(latestCheckpointKey(assetId));
  }

  /** The note of the checkpoint over so many entries. */
  ofSize(assetId: string, size: number): Promise<string | undefined> {
    return this.read(checkpointKey(assetId, size));
  }

  /**
   * Stores a checkpoint, and a copy as the newest unless there is a newer one. What is there already stays as it is.
   *
   * @throws LedgerTamperedError when another checkpoint of this size is there, or the newest can't be read
   */
  async put(assetId: string, size: number, note: string): Promise<void> {
    const there = await this.ofSize(assetId, size);
    if (there === undefined) await this.store.put(checkpointKey(assetId, size), Buffer.from(note), TEXT);
    else if (there !== note)
      throw new LedgerTamperedError(`the object storage has another checkpoint of ${size} entries`);
    const newest = await this.newest(assetId);
    if (newest === undefined || sizeOf(newest) < size)
      await this.store.put(latestCheckpointKey(assetId), Buffer.from(note), TEXT);
  }

  private async read(key: string): Promise<string | undefined> {
    try {
      return await textOf(await this.store.get(key));
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return undefined;
      throw error;
    }
  }
}

function sizeOf(note: string): number {
  try {
    return parseCheckpoint(note).size;
  } catch (error) {
    throw new LedgerTamperedError('the newest checkpoint of the object storage is not a checkpoint', { cause: error });
  }
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
