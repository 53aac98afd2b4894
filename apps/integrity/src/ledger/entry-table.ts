import type { PoolClient } from 'pg';

/** Of one statement. */
const INSERT_ENTRIES = 500;
const INSERT_BYTES = 8_000_000;

/** An entry with what its columns repeat of its body. */
export interface EntryRow {
  seq: number;
  kind: string;
  body: string;
  prev: Buffer;
  hash: Buffer;
}

/** Inserts entries that follow each other, in statements of bounded size. */
export async function insertEntries(client: PoolClient, assetId: string, rows: readonly EntryRow[]): Promise<void> {
  for (const batch of batches(rows)) await insertBatch(client, assetId, batch);
}

function* batches(rows: readonly EntryRow[]): Generator<EntryRow[]> {
  let batch: EntryRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (batch.length === INSERT_ENTRIES || (batch.length > 0 && bytes + row.body.length > INSERT_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += row.body.length;
  }
  yield batch;
}

/** Canonical JSON escapes it, so it stands in no body. */
const SEPARATOR = '\u001e';

/**
 * Bodies as one text and hashes as one row of bytes: as arrays they would be quoted here and unquoted there, which takes
 * longer than all the rest.
 */
async function insertBatch(client: PoolClient, assetId: string, rows: readonly EntryRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await client.query(
    `INSERT INTO integrity.evidence_entry (asset_id, seq, kind, body, prev_hash, entry_hash)
     SELECT $1, $2::bigint + place - 1, kind, body,
            substring($5::bytea FROM place::int * 32 - 31 FOR 32), substring($5::bytea FROM place::int * 32 + 1 FOR 32)
       FROM unnest(string_to_array($3, '${SEPARATOR}'), $4::text[]) WITH ORDINALITY AS entry (body, kind, place)`,
    [
      assetId,
      first.seq,
      rows.map(({ body }) => body).join(SEPARATOR),
      rows.map(({ kind }) => kind),
      Buffer.concat([first.prev, ...rows.map(({ hash }) => hash)]),
    ],
  );
}
