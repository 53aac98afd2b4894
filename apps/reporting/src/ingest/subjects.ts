import type { PoolClient } from 'pg';
import { numbers, texts } from '#ingest/sql.js';

/** As the sequence steps; a block is used up before another is asked for. */
const BLOCK = 1_000;

/** New ids of visitors and persons. What a failed batch took is lost, which does not matter. */
export class SubjectIds {
  private next = 0;
  private end = 0;

  async take(client: PoolClient, count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      if (this.next === this.end) await this.refill(client);
      ids.push(this.next++);
    }
    return ids;
  }

  /** Of two writers that refill at once one loses its block, which is no harm either. */
  private async refill(client: PoolClient): Promise<void> {
    const { rows } = await client.query<{ first: string }>(`SELECT nextval('reporting.subject_id') AS first`);
    const first = Number(rows[0]?.first);
    this.next = first;
    this.end = first + BLOCK;
  }
}

/** Finds the persons of global user ids and makes those that are new. */
export async function personIds(
  client: PoolClient,
  ids: SubjectIds,
  assetId: string,
  globalUserIds: ReadonlySet<string>,
): Promise<{ ids: Map<string, number>; fresh: Set<number> }> {
  const known = new Map<string, number>();
  const fresh = new Set<number>();
  if (globalUserIds.size === 0) return { ids: known, fresh };
  const find = async (wanted: readonly string[]): Promise<void> => {
    const { rows } = await client.query<{ global_user_id: string; person_id: string }>(
      'SELECT global_user_id, person_id FROM reporting.person WHERE asset_id = $1 AND global_user_id = ANY ($2::text[])',
      [assetId, texts(wanted)],
    );
    for (const { global_user_id, person_id } of rows) known.set(global_user_id, Number(person_id));
  };
  await find([...globalUserIds]);
  const missing = [...globalUserIds].filter((id) => !known.has(id)).sort();
  if (missing.length === 0) return { ids: known, fresh };
  // Another writer may name the same person at this moment: its row is waited for, in one order of all writers.
  const { rows } = await client.query<{ global_user_id: string; person_id: string }>(
    `INSERT INTO reporting.person (asset_id, global_user_id, person_id)
     SELECT $1, id, person FROM unnest($2::text[], $3::bigint[]) AS n (id, person)
     ON CONFLICT DO NOTHING RETURNING global_user_id, person_id`,
    [assetId, texts(missing), numbers(await ids.take(client, missing.length))],
  );
  for (const { global_user_id, person_id } of rows) {
    known.set(global_user_id, Number(person_id));
    fresh.add(Number(person_id));
  }
  const others = missing.filter((id) => !known.has(id));
  if (others.length > 0) await find(others);
  return { ids: known, fresh };
}
