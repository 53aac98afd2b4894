import { date } from '#ingest/sql.js';
import type { Detection } from '../detection/traffic.js';
import type { DayRange } from './day-ranges.js';
import type { Query } from './query.js';

/** Marks the sessions of a range of days that count as invalid traffic, and the entity under which each counts. */
export async function flagSessions(
  query: Query,
  assetId: string,
  days: DayRange,
  detections: readonly Detection[],
): Promise<void> {
  const keys: string[] = [];
  const types: string[] = [];
  const entities: string[] = [];
  for (const { flagged, entityType, entityId } of detections) {
    for (const { key } of flagged) {
      keys.push(key);
      types.push(entityType);
      entities.push(entityId);
    }
  }
  await query(
    `WITH flag AS (SELECT * FROM unnest($4::uuid[], $5::text[], $6::text[]) AS f (session_key, flagged_by, flagged_entity))
     UPDATE integrity.ivt_session AS s SET flagged_by = flag.flagged_by, flagged_entity = flag.flagged_entity
       FROM integrity.ivt_session AS o LEFT JOIN flag USING (session_key)
      WHERE o.asset_id = $1 AND o.day BETWEEN $2 AND $3
        AND o.flagged_entity IS DISTINCT FROM flag.flagged_entity
        AND s.asset_id = o.asset_id AND s.day = o.day AND s.session_key = o.session_key`,
    [assetId, date(days.first), date(days.last), keys, types, entities],
  );
}
