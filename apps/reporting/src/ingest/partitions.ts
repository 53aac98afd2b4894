import type { DataSource } from 'typeorm';
import { MonthPartitions } from '#ingest/month-partitions.js';

/** A month of UTC, counted since 1970. */
export function monthOf(us: number): number {
  const time = new Date(us / 1000);
  return (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth();
}

/** Sees to it that the months of raw events have their partition. */
export class Partitions extends MonthPartitions {
  constructor(dataSource: DataSource) {
    super(dataSource, {
      schema: 'reporting',
      name: 'event',
      lock: 7_482_902,
      boundTime: ' 00:00:00+00',
      indexes: (name) => `
        CREATE UNIQUE INDEX ${name}_id_idx ON reporting.${name} (asset_id, event_id);
        CREATE INDEX ${name}_time_idx ON reporting.${name} (asset_id, event_time, event_id);`,
    });
  }
}
