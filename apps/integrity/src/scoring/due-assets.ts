import type { DataSource } from 'typeorm';
import type { IntegrityConfig } from '../integrity.config.js';

type Patience = Pick<IntegrityConfig, 'SCORE_INTERVAL_MS' | 'SCORE_QUIET_MS' | 'SCORE_DIRTY_NETWORKS'>;

/**
 * Assets whose changes are to be scored now: nothing more came for a while, or they have waited long enough, or there are
 * many; and those with costs or allow rules that were not looked at. The longest waiting first.
 */
export async function dueAssets(dataSource: DataSource, patience: Patience): Promise<string[]> {
  const rows = await dataSource.query<{ asset_id: string }[]>(
    `SELECT asset_id FROM (
       SELECT asset_id, min(waiting_since) AS oldest FROM integrity.dirty WHERE not_before <= clock_timestamp()
        GROUP BY asset_id
       HAVING max(since) <= clock_timestamp() - $1 * interval '1 millisecond'
           OR min(waiting_since) <= clock_timestamp() - $2 * interval '1 millisecond'
           OR count(DISTINCT net) >= $3
       UNION ALL SELECT asset_id, min(received_at) FROM integrity.cost_pending GROUP BY asset_id
       UNION ALL SELECT asset_id, min(created_at) FROM integrity.ivt_allow
                  WHERE added_seq IS NULL AND removed_at IS NULL GROUP BY asset_id
       UNION ALL SELECT asset_id, min(removed_at) FROM integrity.ivt_allow
                  WHERE removed_at IS NOT NULL AND removed_seq IS NULL AND added_seq IS NOT NULL GROUP BY asset_id
     ) AS due GROUP BY asset_id ORDER BY min(oldest)`,
    [patience.SCORE_QUIET_MS, patience.SCORE_INTERVAL_MS, patience.SCORE_DIRTY_NETWORKS],
  );
  return rows.map(({ asset_id }) => asset_id);
}
