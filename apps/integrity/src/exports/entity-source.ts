import type { EntityType } from '#contracts/integrity/severity.js';
import type { ExportSnapshot } from '#jobs/export-definition.js';
import type { IvtClass, Reason, Severity } from '../detection/traffic.js';
import { parseEntityId } from '../networks/network-key.js';
import { networkAround } from './read-blocked.js';

export interface DayRange {
  /** Local days, both inclusive, `YYYY-MM-DD`. */
  from: string;
  to: string;
}

/** An entity of an asset by what its sessions have. */
export interface Entity {
  id: string;
  type: EntityType;
  /** CIDR of a network, address or /64 of a host, AS number as text, `distinct_id` of a visitor. */
  key: string;
}

/** The sessions of an entity in a range. */
export interface EntitySessions {
  firstDay: string;
  lastDay: string;
  visitors: number;
  hosts: number;
  /** Of most sessions. */
  asn: number | null;
  networkType: string;
  channels: readonly { channel: string; unpaid: boolean; sessions: number; conversions: number }[];
}

/** A detection of an entity that holds at the checkpoint. */
export interface EntityVerdict {
  seq: number;
  day: string;
  channel: string;
  asn: number | null;
  asnOrg: string | null;
  networkType: string;
  severity: Severity;
  p: number;
  ivtClass: IvtClass;
  flaggedSessions: number;
  /** In the order of the detectors. */
  scores: readonly number[];
  /** Strongest first. */
  reasons: readonly Pick<Reason, 'code' | 'sentence'>[];
  detectorVersion: string;
}

/** The entity of an id; a visitor only when it has a session in the range or something was ever found of it. */
export async function findEntity(
  snapshot: ExportSnapshot,
  assetId: string,
  id: string,
  { from, to }: DayRange,
): Promise<Entity | undefined> {
  const parsed = parseEntityId(id);
  if (parsed === undefined) return undefined;
  if (parsed.type !== 'visitor') return { id, type: parsed.type, key: parsed.key };
  const [known] = await snapshot.query<{ key: string }>(
    'SELECT key FROM integrity.ivt_entity WHERE asset_id = $1 AND entity_id = $2',
    [assetId, id],
  );
  if (known !== undefined) return { id, type: 'visitor', key: known.key };
  const [visitor] = await snapshot.query<{ visitor: string }>(
    `SELECT visitor FROM integrity.ivt_session
      WHERE asset_id = $1 AND day BETWEEN $2 AND $3
        AND substr(encode(sha256(convert_to($1::uuid::text || visitor, 'UTF8')), 'hex'), 1, 16) = $4 LIMIT 1`,
    [assetId, from, to, parsed.key],
  );
  return visitor && { id, type: 'visitor', key: visitor.visitor };
}

const WHERE: Record<EntityType, string> = {
  network: 'net = $4',
  host: 'net = $5 AND host = $4',
  asn: 'asn = $4::bigint',
  visitor: 'visitor = $4',
};

/** Undefined: it has none. Reserved networks are never exported. */
export async function readSessions(
  snapshot: ExportSnapshot,
  assetId: string,
  { type, key }: Entity,
  { from, to }: DayRange,
): Promise<EntitySessions | undefined> {
  const sessions = `integrity.ivt_session WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND network_type <> 'reserved' AND ${WHERE[type]}`;
  const parameters = [assetId, from, to, key, ...(type === 'host' ? [networkAround(key)] : [])];
  const [all] = await snapshot.query<{
    first_day: string | null;
    last_day: string | null;
    visitors: string;
    hosts: string;
    asn: string | null;
    network_type: string | null;
  }>(
    `SELECT min(day)::text AS first_day, max(day)::text AS last_day, count(DISTINCT visitor) AS visitors,
            count(DISTINCT host) FILTER (WHERE host <> '') AS hosts, mode() WITHIN GROUP (ORDER BY asn) AS asn,
            mode() WITHIN GROUP (ORDER BY network_type) AS network_type FROM ${sessions}`,
    parameters,
  );
  if (all === undefined || all.first_day === null || all.last_day === null || all.network_type === null)
    return undefined;
  const channels = await snapshot.query<{ channel: string; unpaid: boolean; sessions: string; conversions: string }>(
    `SELECT channel, unpaid, count(*) AS sessions, sum(conversions) AS conversions FROM ${sessions} GROUP BY channel, unpaid`,
    parameters,
  );
  return {
    firstDay: all.first_day,
    lastDay: all.last_day,
    visitors: Number(all.visitors),
    hosts: Number(all.hosts),
    asn: all.asn === null ? null : Number(all.asn),
    networkType: all.network_type,
    channels: channels.map((row) => ({
      ...row,
      sessions: Number(row.sessions),
      conversions: Number(row.conversions),
    })),
  };
}

/** What was found of an entity in the range and holds in a ledger of this size. */
export async function readVerdicts(
  snapshot: ExportSnapshot,
  assetId: string,
  { id }: Entity,
  { from, to }: DayRange,
  ledgerSize: number,
): Promise<EntityVerdict[]> {
  const rows = await snapshot.query<
    Omit<EntityVerdict, 'seq' | 'asn' | 'p'> & { seq: string; asn: string | null; p: string }
  >(
    `SELECT ledger_seq AS seq, day::text AS day, channel, asn, asn_org AS "asnOrg", network_type AS "networkType", severity, p,
            ivt_class AS "ivtClass", flagged_sessions AS "flaggedSessions", scores, reasons, detector_version AS "detectorVersion"
       FROM integrity.ivt_verdict
      WHERE asset_id = $1 AND entity_id = $2 AND day BETWEEN $3 AND $4 AND ledger_seq <= $5
        AND (superseded_by IS NULL OR superseded_by > $5) AND severity <> 'clean'
      ORDER BY ledger_seq`,
    [assetId, id, from, to, ledgerSize],
  );
  return rows.map((row) => ({
    ...row,
    seq: Number(row.seq),
    asn: row.asn === null ? null : Number(row.asn),
    p: Number(row.p),
  }));
}
