import type { Query } from '../scoring/query.js';

/** A stored checkpoint; what its note says is still to be checked. */
export interface StoredCheckpoint {
  size: number;
  root: Buffer;
  note: string;
  createdAt: Date;
  /** Not in the object storage yet. */
  isPending: boolean;
}

interface Row {
  size: string;
  root: Buffer;
  note: string;
  created_at: Date;
  is_pending: boolean;
}

const SELECT = `
  SELECT size, root, note, created_at,
         EXISTS (SELECT FROM integrity.checkpoint_pending p WHERE (p.asset_id, p.size) = (c.asset_id, c.size)) AS is_pending
    FROM integrity.checkpoint c WHERE asset_id = $1`;

/** The newest first, at most `limit`, of those over at most `upTo` entries. */
export async function newestCheckpoints(
  query: Query,
  assetId: string,
  limit: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<StoredCheckpoint[]> {
  const rows = await query<Row>(`${SELECT} AND size <= $3 ORDER BY size DESC LIMIT $2`, [assetId, limit, upTo]);
  return rows.map(stored);
}

/** The next in ascending order behind `after` entries. */
export async function nextCheckpoints(
  query: Query,
  assetId: string,
  after: number,
  limit: number,
): Promise<StoredCheckpoint[]> {
  const rows = await query<Row>(`${SELECT} AND size > $2 ORDER BY size LIMIT $3`, [assetId, after, limit]);
  return rows.map(stored);
}

/** The compact range of a checkpoint. */
export async function rangeOf(query: Query, assetId: string, size: number): Promise<Buffer[]> {
  const [row] = await query<{ range: Buffer[] }>(
    'SELECT range FROM integrity.checkpoint WHERE asset_id = $1 AND size = $2',
    [assetId, size],
  );
  return row?.range ?? [];
}

/**
 * Writes a checkpoint, to be put into the object storage after the commit. Its time is not before its key was registered,
 * whatever the clock says.
 */
export async function insertCheckpoint(
  query: Query,
  assetId: string,
  {
    origin,
    size,
    root,
    range,
    note,
  }: { origin: string; size: number; root: Buffer; range: readonly Buffer[]; note: string },
): Promise<void> {
  await query(
    `INSERT INTO integrity.checkpoint (asset_id, size, root, range, note, created_at)
     SELECT $1, $2, $3, $4, $5, greatest(clock_timestamp(), max(valid_from)) FROM integrity.signing_key WHERE name = $6`,
    [assetId, size, root, range, note, origin],
  );
  await query('INSERT INTO integrity.checkpoint_pending (asset_id, size) VALUES ($1, $2)', [assetId, size]);
}

/** Checkpoints that still have to be put into the object storage, of one asset or all, smallest first. */
export async function pendingCheckpoints(
  query: Query,
  assetId?: string,
): Promise<{ assetId: string; size: number; note: string }[]> {
  const rows = await query<{ asset_id: string; size: string; note: string }>(
    `SELECT asset_id, size, note FROM integrity.checkpoint_pending JOIN integrity.checkpoint USING (asset_id, size)
      WHERE $1::uuid IS NULL OR asset_id = $1 ORDER BY asset_id, size LIMIT 1000`,
    [assetId ?? null],
  );
  return rows.map(({ asset_id, size, note }) => ({ assetId: asset_id, size: Number(size), note }));
}

export async function checkpointStored(query: Query, assetId: string, size: number): Promise<void> {
  await query('DELETE FROM integrity.checkpoint_pending WHERE asset_id = $1 AND size = $2', [assetId, size]);
}

/** Assets whose ledger has grown and is due for a checkpoint. */
export async function dueForCheckpoint(query: Query, intervalMs: number, entries: number): Promise<string[]> {
  const rows = await query<{ asset_id: string }>(
    `SELECT h.asset_id FROM integrity.ledger_head h
       LEFT JOIN LATERAL (SELECT size, created_at FROM integrity.checkpoint c
                           WHERE c.asset_id = h.asset_id ORDER BY size DESC LIMIT 1) c ON true
      WHERE h.broken_at IS NULL AND h.size > coalesce(c.size, 0)
        AND (h.size - coalesce(c.size, 0) >= $2
             OR coalesce(c.created_at, '-infinity') <= clock_timestamp() - $1 * interval '1 millisecond')
      ORDER BY h.asset_id`,
    [intervalMs, entries],
  );
  return rows.map(({ asset_id }) => asset_id);
}

function stored({ size, root, note, created_at: createdAt, is_pending: isPending }: Row): StoredCheckpoint {
  return { size: Number(size), root, note, createdAt, isPending };
}
