import type { MixRunItem } from '#contracts/modeling/mix-run.js';
import { MIX_RUN_COLUMNS, mixRunItem, type MixRunRow } from './mix-run-item.js';
import type { Listed, ListPosition, RowReader } from './row-reader.js';

/** The newest runs of an asset, without their channels; `after`: those behind this position. */
export async function readMixRuns(
  read: RowReader,
  assetId: string,
  { limit, after }: { limit: number; after?: ListPosition | undefined },
): Promise<Listed<MixRunItem>[]> {
  const [time = null, id = null] = after ?? [];
  const rows = await read<MixRunRow & { created_text: string }>(
    `SELECT ${MIX_RUN_COLUMNS}, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_text
       FROM modeling.run
      WHERE asset_id = $1 AND ($2::timestamptz IS NULL OR (created_at, run_id) < ($2::timestamptz, $3::uuid))
      ORDER BY created_at DESC, run_id DESC LIMIT $4`,
    [assetId, time, id, limit],
  );
  return rows.map(({ created_text, ...row }) => ({ item: mixRunItem(row), id: row.run_id, created_text }));
}
