/** Columns and keys of `session_part` in SQL, where `p` is the table. */
export const COUNTS = 'pageviews, conversions, events';
export const DIMENSIONS = 'channel, source, geo, tech, campaign, spelling';
export const PART_COLUMNS = `asset_id, version, visitor_id, started_at, day, named_id, person_id, starts, first_at, ended_at, first_event_id, ${DIMENSIONS}, ${COUNTS}`;
export const DAY = `p.day - date '1970-01-01' AS day`;
export const EPOCH = `timestamptz 'epoch'`;
export const MICROSECOND = `interval '1 microsecond'`;
/**
 * All parts of a session, one part. Wherever keys are looked up, a LATERAL that can't be flattened says which comes first:
 * the planner may else look through all parts for each key, since it takes a new asset for an empty one.
 */
export const SESSION = `p.asset_id = $1 AND p.version = $2 AND p.visitor_id = n.visitor AND p.started_at = ${EPOCH} + n.start * ${MICROSECOND}`;
export const PART = `${SESSION} AND p.day = date '1970-01-01' + n.day AND p.named_id = n.named`;
