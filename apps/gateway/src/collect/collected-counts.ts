import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CollectStatus } from '#contracts/collect/collect-report.js';
import type { Topic } from '#contracts/topics.js';

/** How many records the gateway took, and how far reporting has come with them. */
@Injectable()
export class CollectedCounts {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** @param manager of the transaction in which the records were taken, if there is one */
  async add(
    assetId: string,
    topic: Topic,
    records: number,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    if (records === 0) return;
    await manager.query(
      `INSERT INTO access.collected (asset_id, topic, records) VALUES ($1, $2, $3)
       ON CONFLICT (asset_id, topic) DO UPDATE SET records = access.collected.records + excluded.records`,
      [assetId, topic, records],
    );
  }

  /** On Kafka records are counted when the broker has them, and reporting may be faster: nothing is pending then. */
  async status(assetId: string): Promise<CollectStatus> {
    const [row] = await this.dataSource.query<[{ accepted: string; processed: string; newest: Date | null }]>(
      `SELECT (SELECT coalesce(sum(records), 0) FROM access.collected WHERE asset_id = $1) AS accepted,
              coalesce(sum(records), 0) AS processed, max(newest_event_time) AS newest
         FROM reporting.processed WHERE asset_id = $1`,
      [assetId],
    );
    const accepted = Number(row.accepted);
    const processed = Number(row.processed);
    return {
      accepted,
      processed,
      pending: Math.max(0, accepted - processed),
      newest_event_time: row.newest?.toISOString() ?? null,
    };
  }
}
