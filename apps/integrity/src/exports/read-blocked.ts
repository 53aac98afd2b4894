import type { ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { parseAddress } from '../networks/address.js';
import { networkKey } from '../networks/network-key.js';
import type { NetworkType } from '../networks/network-types.js';
import {
  blockedPrefixes,
  needsHosts,
  type BlockedPrefix,
  type FlaggedEntity,
  type FlaggedNetwork,
  type HostSessions,
} from './blocked.js';

interface FlaggedRow {
  key: string;
  is_host: boolean;
  asn: string | null;
  asn_org: string | null;
  network_type: NetworkType;
  events: string;
  days: readonly string[];
}

/** What block lists of a range hold, before their caps. */
export async function readBlocked(
  snapshot: ExportSnapshot,
  { assetId, parameters: { from, to } }: ExportRequest,
): Promise<BlockedPrefix[]> {
  // The planner takes the verdicts of an asset that is newer than its statistics for almost none, and compares each with each.
  await snapshot.query(`SELECT set_config('enable_nestloop', 'off', true), set_config('work_mem', '32MB', true)`);
  const rows = await snapshot.query<FlaggedRow>(FLAGGED, [assetId, from, to]);
  const allowed = await networksWithAllowed(snapshot, assetId, to);
  const networks = new Map<string, FlaggedNetwork & { hosts: FlaggedEntity[]; days: Set<string> }>();
  for (const row of rows) {
    const net = row.is_host ? networkAround(row.key) : row.key;
    const known = networks.get(net) ?? {
      network: undefined,
      hosts: [],
      days: new Set(),
      isProtected: allowed.has(net),
    };
    if (row.is_host) known.hosts.push(entityOf(row));
    else known.network = entityOf(row);
    for (const day of row.days) known.days.add(day);
    networks.set(net, known);
  }
  const pairs = [...networks].flatMap(([net, flagged]) =>
    needsHosts(flagged) ? [...flagged.days].map((day) => [net, day] as const) : [],
  );
  return blockedPrefixes(networks, await hostsOf(snapshot, [assetId, from, to], pairs));
}

/** Networks that hold an allow-listed prefix narrower than themselves; scoring leaves out its sessions, not the network. */
async function networksWithAllowed(snapshot: ExportSnapshot, assetId: string, to: string): Promise<Set<string>> {
  const rules = await snapshot.query<{ cidr: string }>(
    `SELECT cidr FROM integrity.ivt_allow
      WHERE asset_id = $1 AND removed_at IS NULL AND (until IS NULL OR until >= $2)
        AND masklen(cidr::inet) > CASE family(cidr::inet) WHEN 4 THEN 24 ELSE 48 END`,
    [assetId, to],
  );
  return new Set(rules.map(({ cidr }) => networkAround(cidr)));
}

function entityOf(row: FlaggedRow): FlaggedEntity {
  return {
    key: row.key,
    asn: row.asn === null ? null : Number(row.asn),
    asnOrg: row.asn_org,
    networkType: row.network_type,
    events: Number(row.events),
  };
}

/** The /24 or /48 around a host. */
export function networkAround(host: string): string {
  const address = parseAddress(host.split('/', 1)[0] ?? '');
  if (address === undefined) throw new Error(`${host} is no host.`);
  return networkKey(address);
}

async function hostsOf(
  snapshot: ExportSnapshot,
  range: readonly string[],
  pairs: readonly (readonly [net: string, day: string])[],
): Promise<Map<string, HostSessions[]>> {
  const hosts = new Map<string, HostSessions[]>();
  if (pairs.length === 0) return hosts;
  const rows = await snapshot.query<Record<'net' | 'host' | 'flagged' | 'unflagged' | 'events', string>>(SESSIONS, [
    ...range,
    [...new Set(pairs.map(([net]) => net))],
    pairs.map(([net]) => net),
    pairs.map(([, day]) => day),
  ]);
  for (const row of rows) {
    const known = hosts.get(row.net) ?? [];
    known.push({
      host: row.host,
      flagged: Number(row.flagged),
      unflagged: Number(row.unflagged),
      events: Number(row.events),
    });
    hosts.set(row.net, known);
  }
  return hosts;
}

/** Networks and hosts that are likely or confirmed on a day of the range. */
const FLAGGED = `
  SELECT e.key, v.is_host, v.asn, v.asn_org, v.network_type, v.events, v.days
    FROM (SELECT entity_id, bool_or(entity_type = 'host') AS is_host,
                 (array_agg(asn ORDER BY ledger_seq DESC))[1] AS asn, (array_agg(asn_org ORDER BY ledger_seq DESC))[1] AS asn_org,
                 (array_agg(network_type ORDER BY ledger_seq DESC))[1] AS network_type, sum(flagged_events) AS events,
                 array_agg(DISTINCT day::text) AS days
            FROM integrity.ivt_verdict
           WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND superseded_by IS NULL AND severity IN ('likely', 'confirmed')
             AND entity_type IN ('network', 'host') AND network_type <> 'reserved'
           GROUP BY entity_id) AS v
    JOIN integrity.ivt_entity AS e ON e.asset_id = $1 AND e.entity_id = v.entity_id`;

/** Sessions on flagged days, flagged events on any day of the range. */
const SESSIONS = `
  SELECT s.net, s.host, count(f.day) FILTER (WHERE s.flagged_entity IS NOT NULL) AS flagged,
         count(f.day) FILTER (WHERE s.flagged_entity IS NULL) AS unflagged,
         coalesce(sum(s.events) FILTER (WHERE s.flagged_entity IS NOT NULL), 0) AS events
    FROM integrity.ivt_session AS s LEFT JOIN unnest($5::text[], $6::date[]) AS f (net, day) ON f.net = s.net AND f.day = s.day
   WHERE s.asset_id = $1 AND s.day BETWEEN $2 AND $3 AND s.net = ANY($4)
   GROUP BY s.net, s.host`;
