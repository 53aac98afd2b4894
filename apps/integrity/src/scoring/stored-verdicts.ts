import { DETECTORS, type Detection, type EntityType, type IvtClass, type Severity } from '../detection/traffic.js';
import { date, numbers } from '#ingest/sql.js';
import { DETECTOR_VERSION } from '../detection/limits.js';
import type { NetworkType } from '../networks/network-types.js';
import { paidOf } from './detection-entry.js';
import type { DayRange } from './day-ranges.js';
import type { Query } from './query.js';

/** The newest detection of an entity, day and channel as it stands in the ledger. */
export interface StoredVerdict {
  seq: number;
  entityId: string;
  entityType: EntityType;
  entityKey: string;
  day: number;
  channel: string;
  paid: boolean | null;
  asn: number | null;
  asnOrg: string | null;
  networkType: NetworkType;
  severity: Severity;
  ivtClass: IvtClass;
  contentHash: string;
  appendedAt: Date;
}

/** A detection that was appended. */
export interface NewVerdict {
  seq: number;
  detection: Detection;
  contentHash: string;
}

/** What a detection is one of; visitors also have one per network that they came from. */
function verdictKey(of: {
  day: number;
  entityId: string;
  entityType: EntityType;
  channel: string;
  paid: boolean | null;
  asn: number | null;
  networkType: NetworkType;
}): string {
  const { day, entityId, entityType, channel, paid, asn, networkType } = of;
  return JSON.stringify([day, entityId, channel, paid, ...(entityType === 'visitor' ? [asn, networkType] : [])]);
}

export function keyOfDetection(detection: Detection): string {
  return verdictKey({ ...detection, paid: paidOf(detection.standing) });
}

/** The current verdicts of a range of days, by their key. */
export async function storedVerdicts(
  query: Query,
  assetId: string,
  days: DayRange,
): Promise<Map<string, StoredVerdict>> {
  const rows = await query<Omit<StoredVerdict, 'seq' | 'asn'> & { seq: string; asn: string | null }>(
    `SELECT ledger_seq AS seq, entity_id AS "entityId", entity_type AS "entityType", e.key AS "entityKey",
            day - date '1970-01-01' AS day, channel, paid, asn, asn_org AS "asnOrg", network_type AS "networkType",
            severity, ivt_class AS "ivtClass", content_hash AS "contentHash", appended_at AS "appendedAt"
       FROM integrity.ivt_verdict JOIN integrity.ivt_entity AS e USING (asset_id, entity_id)
      WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND superseded_by IS NULL`,
    [assetId, date(days.first), date(days.last)],
  );
  const verdicts = rows.map((row) => ({
    ...row,
    seq: Number(row.seq),
    asn: row.asn === null ? null : Number(row.asn),
  }));
  return new Map(verdicts.map((verdict) => [verdictKey(verdict), verdict]));
}

/** Writes what was appended; what it replaces is marked first, since only one may be current. */
export async function storeVerdicts(
  query: Query,
  assetId: string,
  verdicts: readonly NewVerdict[],
  superseded: readonly { old: number; by: number }[],
): Promise<void> {
  await query(
    `UPDATE integrity.ivt_verdict AS v SET superseded_by = s.by
       FROM unnest($2::bigint[], $3::bigint[]) AS s (old, by) WHERE v.asset_id = $1 AND v.ledger_seq = s.old`,
    [assetId, numbers(superseded.map(({ old }) => old)), numbers(superseded.map(({ by }) => by))],
  );
  const rows = verdicts.map(({ seq, detection, contentHash }) => rowOf(seq, detection, contentHash));
  await query(
    `INSERT INTO integrity.ivt_verdict (asset_id, ledger_seq, entity_id, entity_type, day, window_from, window_to,
       channel, paid, asn, asn_org, network_type, severity, p, ivt_class, sessions, paid_sessions, flagged_sessions,
       flagged_events, conversions, scores, reasons, content_hash, detector_version)
     SELECT $1, r.*, $3 FROM jsonb_to_recordset($2::jsonb) AS r (ledger_seq bigint, entity_id text, entity_type text, day date,
       window_from date, window_to date, channel text, paid boolean, asn bigint, asn_org text, network_type text,
       severity text, p numeric, ivt_class text, sessions integer, paid_sessions integer, flagged_sessions integer,
       flagged_events integer, conversions integer, scores real[], reasons jsonb, content_hash text)`,
    [assetId, JSON.stringify(rows), DETECTOR_VERSION],
  );
}

function rowOf(seq: number, detection: Detection, contentHash: string): object {
  const { counts } = detection;
  return {
    ledger_seq: seq,
    entity_id: detection.entityId,
    entity_type: detection.entityType,
    day: date(detection.day),
    window_from: date(detection.window[0]),
    window_to: date(detection.window[1]),
    channel: detection.channel,
    paid: paidOf(detection.standing),
    asn: detection.asn,
    asn_org: detection.asnOrg,
    network_type: detection.networkType,
    severity: detection.severity,
    p: detection.p.toFixed(4),
    ivt_class: detection.ivtClass,
    sessions: counts.sessions,
    paid_sessions: counts.paidSessions,
    flagged_sessions: counts.flaggedSessions,
    flagged_events: counts.flaggedEvents,
    conversions: counts.conversions,
    scores: DETECTORS.map((code) => detection.scores[code]),
    reasons: detection.reasons,
    content_hash: contentHash,
  };
}
