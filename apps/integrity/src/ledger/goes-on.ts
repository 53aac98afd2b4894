import type { Query } from '../scoring/query.js';
import { parseCheckpoint, type Checkpoint } from './checkpoint-note.js';
import { newestCheckpoints, rangeOf } from './checkpoint-table.js';
import { LedgerTamperedError } from './ledger-alarm.js';
import type { LedgerHead } from './ledger.js';
import { appendToRange, rangeRoot } from './merkle.js';
import { verifyNote, type VerifierKey } from './signed-note.js';

const PAGE = 5_000;

/**
 * Before a checkpoint is signed: the head is the newest checkpoint's signed tree and the entries behind it, nothing
 * else, and the newest copy outside is one of our own. Then the new checkpoint is consistent with every earlier one.
 *
 * @param outside the note of the newest checkpoint in the object storage, read before the ledger was locked
 * @throws LedgerTamperedError
 */
export async function assertGoesOn(
  query: Query,
  assetId: string,
  head: LedgerHead,
  keys: readonly VerifierKey[],
  outside: string | undefined,
): Promise<void> {
  const [newest] = await newestCheckpoints(query, assetId, 1);
  let size = 0;
  let range: Buffer[] = [];
  if (newest !== undefined) {
    const signed = checkpointOf(newest.note, head.origin, keys);
    range = await rangeOf(query, assetId, newest.size);
    if (signed === undefined || signed.size !== newest.size || !signed.root.equals(rangeRoot(range)))
      throw new LedgerTamperedError(`the checkpoint of ${newest.size} entries was changed`);
    ({ size } = newest);
  }
  if (outside !== undefined) await assertOwn(query, assetId, outside, { size, origin: head.origin, keys });
  let last: Buffer | undefined;
  for (;;) {
    const page = await query<{ entry_hash: Buffer }>(
      'SELECT entry_hash FROM integrity.evidence_entry WHERE asset_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [assetId, size, PAGE],
    );
    for (const { entry_hash: hash } of page) {
      range = appendToRange(range, size++, hash);
      last = hash;
    }
    if (page.length < PAGE) break;
  }
  const isSame = size === head.size && rangeRoot(range).equals(rangeRoot(head.range));
  if (!isSame || (last !== undefined && !last.equals(head.lastHash)))
    throw new LedgerTamperedError('the head is not that of the entries behind the newest checkpoint');
}

/** What a note says, if a key of the log signed it. */
export function checkpointOf(note: string, origin: string, keys: readonly VerifierKey[]): Checkpoint | undefined {
  try {
    const checkpoint = parseCheckpoint(note);
    return checkpoint.origin === origin && verifyNote(checkpoint.note, keys) !== undefined ? checkpoint : undefined;
  } catch {
    return undefined;
  }
}

async function assertOwn(
  query: Query,
  assetId: string,
  outside: string,
  newest: { size: number; origin: string; keys: readonly VerifierKey[] },
): Promise<void> {
  const copy = checkpointOf(outside, newest.origin, newest.keys);
  if (copy === undefined) throw new LedgerTamperedError('no key of the log signed the newest checkpoint outside');
  const [same] = await newestCheckpoints(query, assetId, 1, copy.size);
  if (copy.size > newest.size || same?.note !== outside)
    throw new LedgerTamperedError(`the checkpoint of ${copy.size} entries that is outside is missing in the database`);
}
