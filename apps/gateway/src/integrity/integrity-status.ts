import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { IntegrityStatus } from '#contracts/integrity/entity-list.js';
import type { Topic } from '#contracts/topics.js';

const EVENTS: Topic = 'events.collected.v1';

/** How far integrity has come with what the gateway took. */
@Injectable()
export class IntegrityStatusReader {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** What collectors publish to Kafka themselves is not counted as taken: nothing of it is ever pending. */
  async status(assetId: string): Promise<IntegrityStatus> {
    const [row] = await this.dataSource.query<
      [Record<'pending' | 'dirty' | 'size' | 'signed', string> & { scored_through: string | null }]
    >(
      `SELECT greatest(0, (SELECT coalesce(sum(records), 0) FROM access.collected WHERE asset_id = $1 AND topic = $2)
                        - (SELECT coalesce(sum(records), 0) FROM integrity.processed WHERE asset_id = $1 AND topic = $2)) AS pending,
              (SELECT count(DISTINCT net) FROM integrity.dirty WHERE asset_id = $1 AND not_before <= now()) AS dirty,
              coalesce((SELECT size FROM integrity.ledger_head WHERE asset_id = $1), 0) AS size,
              coalesce((SELECT max(size) FROM integrity.checkpoint WHERE asset_id = $1), 0) AS signed,
              (SELECT to_char(scored_through, 'YYYY-MM-DD') FROM integrity.asset_state WHERE asset_id = $1) AS scored_through`,
      [assetId, EVENTS],
    );
    return {
      pending_events: Number(row.pending),
      dirty_networks: Number(row.dirty),
      ledger_size: Number(row.size),
      checkpoint_size: Number(row.signed),
      scored_through: row.scored_through,
    };
  }
}
