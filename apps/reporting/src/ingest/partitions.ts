import type { DataSource } from 'typeorm';

/** Any number that only the makers of partitions lock on. */
const PARTITION_LOCK = 7_482_902;

/** A month of UTC, counted since 1970. */
export function monthOf(us: number): number {
  const time = new Date(us / 1000);
  return (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth();
}

/** Sees to it that the months of events have their partition. */
export class Partitions {
  private readonly known = new Set<number>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Makes what is missing, committed, before the transaction that needs it: attaching a table of its own only takes a
   * lock that readers and writers do not mind, `CREATE … PARTITION OF` would stop them.
   */
  async ensure(months: Iterable<number>): Promise<void> {
    for (const month of new Set(months)) {
      if (this.known.has(month)) continue;
      await this.make(month);
      this.known.add(month);
    }
  }

  private async make(month: number): Promise<void> {
    const [start, end] = [firstDay(month), firstDay(month + 1)];
    const name = `event_${start.slice(0, 7).replace('-', '_')}`;
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
      const [state] = await manager.query<{ attached: boolean }[]>(
        `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1)) AS attached`,
        [`reporting.${name}`],
      );
      if (state?.attached === true) return;
      await manager.query(`
        CREATE TABLE reporting.${name} (LIKE reporting.event);
        CREATE UNIQUE INDEX ${name}_id_idx ON reporting.${name} (asset_id, event_id);
        CREATE INDEX ${name}_time_idx ON reporting.${name} (asset_id, event_time, event_id);
        ALTER TABLE reporting.event ATTACH PARTITION reporting.${name}
          FOR VALUES FROM ('${start} 00:00:00+00') TO ('${end} 00:00:00+00');
      `);
    });
  }
}

function firstDay(month: number): string {
  return new Date(Date.UTC(1970, month, 1)).toISOString().slice(0, 10);
}
