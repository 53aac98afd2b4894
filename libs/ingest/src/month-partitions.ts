import type { DataSource } from 'typeorm';

/** A table that is partitioned by range of a day or time, a month each. */
export interface PartitionedTable {
  schema: string;
  name: string;
  /** Any number that only the makers of this table's partitions lock on. */
  lock: number;
  /** What stands behind the first day of a month in a bound: '' for days. */
  boundTime: string;
  /** The statements that make the indexes of a partition, given by its name. */
  indexes: (partition: string) => string;
}

/** Makes the partitions of a table when the first row of a month comes. */
export class MonthPartitions {
  private readonly known = new Set<number>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly table: PartitionedTable,
  ) {}

  /**
   * Makes what is missing, committed, before the transaction that needs it: attaching a table of its own only takes a
   * lock that readers and writers do not mind, `CREATE … PARTITION OF` would stop them.
   *
   * @param months counted since 1970
   */
  async ensure(months: Iterable<number>): Promise<void> {
    for (const month of new Set(months)) {
      if (this.known.has(month)) continue;
      await this.make(month);
      this.known.add(month);
    }
  }

  private async make(month: number): Promise<void> {
    const { schema, name: table, lock, boundTime, indexes } = this.table;
    const [start, end] = [firstDay(month), firstDay(month + 1)];
    const name = partitionName(table, month);
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(${lock})`);
      const [state] = await manager.query<{ attached: boolean }[]>(
        `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1)) AS attached`,
        [`${schema}.${name}`],
      );
      if (state?.attached === true) return;
      await manager.query(`
        CREATE TABLE ${schema}.${name} (LIKE ${schema}.${table});
        ${indexes(name)}
        ALTER TABLE ${schema}.${table} ATTACH PARTITION ${schema}.${name}
          FOR VALUES FROM ('${start}${boundTime}') TO ('${end}${boundTime}');
      `);
    });
  }
}

/** Of a month counted since 1970: `event_2026_02`. */
export function partitionName(table: string, month: number): string {
  return `${table}_${firstDay(month).slice(0, 7).replace('-', '_')}`;
}

function firstDay(month: number): string {
  return new Date(Date.UTC(1970, month, 1)).toISOString().slice(0, 10);
}
