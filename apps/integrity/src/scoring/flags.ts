import { date } from '#ingest/sql.js';
import type { Detection, EntityType } from '../detection/traffic.js';
import type { DayRange } from './day-ranges.js';
import type { Query } from './query.js';

interface Flag {
  type: EntityType | null;
  entity: string | null;
}

/** By the key of the session. */
export type Flags = Map<string, Flag>;

/** The sessions that count as invalid traffic, and the entity under which each counts. */
export function flagsOf(detections: readonly Detection[]): Flags {
  const flags: Flags = new Map();
  for (const { flagged, entityType, entityId } of detections)
    for (const { key } of flagged) flags.set(key, { type: entityType, entity: entityId });
  return flags;
}

/** Marks the sessions of a range of days, and takes the mark off those that count no more. */
export async function flagSessions(query: Query, assetId: string, days: DayRange, wanted: Flags): Promise<void> {
  const flags = new Map(wanted);
  const stored = await query<{ session_key: string; flagged_entity: string }>(
    `SELECT session_key, flagged_entity FROM integrity.ivt_session
      WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND flagged_entity IS NOT NULL`,
    [assetId, date(days.first), date(days.last)],
  );
  for (const { session_key: key, flagged_entity: entity } of stored) {
    const flag = flags.get(key);
    if (flag === undefined) flags.set(key, { type: null, entity: null });
    else if (flag.entity === entity) flags.delete(key);
  }
  if (flags.size === 0) return;
  // Without statistics of a new asset the planner believes in two sessions, and would compare each with each.
  await query('SET LOCAL enable_nestloop = off');
  await query(
    `UPDATE integrity.ivt_session AS s SET flagged_by = f.type, flagged_entity = f.entity
       FROM unnest($4::uuid[], $5::text[], $6::text[]) AS f (session_key, type, entity)
      WHERE s.asset_id = $1 AND s.day BETWEEN $2 AND $3 AND s.session_key = f.session_key`,
    [
      assetId,
      date(days.first),
      date(days.last),
      [...flags.keys()],
      [...flags.values()].map(({ type }) => type),
      [...flags.values()].map(({ entity }) => entity),
    ],
  );
  await query('SET LOCAL enable_nestloop = on');
}
