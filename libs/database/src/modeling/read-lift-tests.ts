import type { LiftTestItem } from '#contracts/modeling/lift-test.js';
import { LIFT_TEST_COLUMNS, LIFT_TEST_TABLES, liftTestItem, type LiftTestRow } from './lift-test-item.js';
import type { Listed, ListPosition, RowReader } from './row-reader.js';

/** The newest tests of an asset; `after`: those behind this position. */
export async function readLiftTests(
  read: RowReader,
  assetId: string,
  { limit, after }: { limit: number; after?: ListPosition | undefined },
): Promise<Listed<LiftTestItem>[]> {
  const [time = null, id = null] = after ?? [];
  const rows = await read<LiftTestRow & { created_text: string }>(
    `SELECT ${LIFT_TEST_COLUMNS}, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_text
       FROM ${LIFT_TEST_TABLES}
      WHERE asset_id = $1 AND ($2::timestamptz IS NULL OR (created_at, test_id) < ($2::timestamptz, $3::uuid))
      ORDER BY created_at DESC, test_id DESC LIMIT $4`,
    [assetId, time, id, limit],
  );
  return rows.map(({ created_text, ...row }) => ({ item: liftTestItem(row), id: row.test_id, created_text }));
}
