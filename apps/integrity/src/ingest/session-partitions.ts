import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { MonthPartitions, partitionName } from '#ingest/month-partitions.js';

const TABLE = 'ivt_session';

/** Sessions of this length are found by an index of their own: others start at most so long before a new event. */
export const LONG_SESSION_HOURS = 24;

/** The month of a local day, counted since 1970. */
export function monthOfDay(day: number): number {
  const time = new Date(day * 86_400_000);
  return (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth();
}

/** Sees to it that the months of sessions have their partition. */
export class SessionPartitions extends MonthPartitions {
  constructor(dataSource: DataSource) {
    super(dataSource, {
      schema: 'integrity',
      name: TABLE,
      lock: 7_482_903,
      boundTime: '',
      indexes: (name) => `
        CREATE UNIQUE INDEX ${name}_key_idx ON integrity.${name} (asset_id, session_key);
        CREATE INDEX ${name}_visitor_idx ON integrity.${name} (asset_id, visitor, net, started_at);
        CREATE INDEX ${name}_day_idx ON integrity.${name} (asset_id, day, net);
        CREATE INDEX ${name}_user_idx ON integrity.${name} (asset_id, global_user_id, started_at)
          WHERE global_user_id IS NOT NULL;
        CREATE INDEX ${name}_long_idx ON integrity.${name} (asset_id, ended_at)
          WHERE ended_at - started_at >= interval '${LONG_SESSION_HOURS} hours';`,
    });
  }
}

/** The partition with the sessions of a month of local days, with its schema. */
export function sessionPartition(month: number): string {
  return `integrity.${partitionName(TABLE, month)}`;
}

/** The names of the partitions that there are, as `sessionPartition` gives them. */
export async function existingPartitions(client: PoolClient): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT 'integrity.' || relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'integrity.${TABLE}'::regclass`,
  );
  return new Set(rows.map(({ name }) => name));
}
