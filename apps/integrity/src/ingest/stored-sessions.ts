import type { PoolClient } from 'pg';
import { microseconds, texts, timestamp } from '#ingest/sql.js';
import type { UaClass } from '../detection/traffic.js';
import type { NetworkType } from '../networks/network-types.js';
import { existingPartitions, LONG_SESSION_HOURS, monthOfDay, sessionPartition } from './session-partitions.js';
import { SESSION_GAP_US, type SessionState } from './traffic-sessions.js';
import { unpackViews } from './views.js';

/** A session of the table; what the scorer noted in it stays with it until it is scored again. */
export interface StoredSession extends SessionState {
  flaggedBy: string | null;
  flaggedEntity: string | null;
}

const DAY_US = 86_400_000_000;
const LONG_US = LONG_SESSION_HOURS * 3_600_000_000;
/** Local days lie this far from those of UTC, at most. */
const ZONE_US = DAY_US;

/**
 * The stored sessions that new ones touch: those with less than 30 minutes between. The caller holds the locks of the
 * visitors.
 */
export async function touchedSessions(
  client: PoolClient,
  assetId: string,
  fresh: readonly SessionState[],
): Promise<StoredSession[]> {
  const sessions = new Map<string, StoredSession>();
  const add = (rows: readonly Row[]): void => {
    for (const row of rows) if (!sessions.has(row.session_key)) sessions.set(row.session_key, storedSession(row));
  };
  const existing = await existingPartitions(client);
  for (const [month, own] of byMonthsAround(fresh))
    if (existing.has(sessionPartition(month))) add(await touchedIn(client, assetId, sessionPartition(month), own));
  add(await longSessions(client, assetId, fresh));
  return [...sessions.values()];
}

/** The new sessions by each month in which one that they touch may have started, but for the long ones. */
function byMonthsAround(fresh: readonly SessionState[]): Map<number, SessionState[]> {
  const months = new Map<number, SessionState[]>();
  const monthAt = (us: number): number => monthOfDay(Math.floor(us / DAY_US));
  for (const session of fresh) {
    const last = monthAt(session.endedAt + SESSION_GAP_US + ZONE_US);
    for (let month = monthAt(session.startedAt - SESSION_GAP_US - LONG_US - ZONE_US); month <= last; month++) {
      const known = months.get(month);
      if (known === undefined) months.set(month, [session]);
      else known.push(session);
    }
  }
  return months;
}

/**
 * Of one partition: over all of them, pruned by the day, the planner may take the index by day for every session, and
 * read all of an asset's day.
 */
async function touchedIn(
  client: PoolClient,
  assetId: string,
  partition: string,
  fresh: readonly SessionState[],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(
    `WITH n AS MATERIALIZED (
       SELECT *, "from" - interval '${LONG_SESSION_HOURS} hours' AS earliest
         FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[]) AS n (visitor, net, "from", until))
     SELECT ${SELECTED} FROM n CROSS JOIN LATERAL (
       SELECT * FROM ${partition} s
        WHERE s.asset_id = $1 AND s.visitor = n.visitor AND s.net = n.net
          AND s.started_at > n.earliest AND s.started_at < n.until AND s.ended_at > n."from" OFFSET 0) s`,
    [
      assetId,
      texts(fresh.map(({ visitor }) => visitor)),
      texts(fresh.map(({ net }) => net)),
      `{${fresh.map(({ startedAt }) => timestamp(startedAt - SESSION_GAP_US)).join(',')}}`,
      `{${fresh.map(({ endedAt }) => timestamp(endedAt + SESSION_GAP_US)).join(',')}}`,
    ],
  );
  return rows;
}

/**
 * Those of the visitors and networks that last a day or longer around the new ones. They may have started in any
 * partition, but are few: first all of the asset are looked at by an index that has nothing else.
 */
async function longSessions(client: PoolClient, assetId: string, fresh: readonly SessionState[]): Promise<Row[]> {
  if (fresh.length === 0) return [];
  const from = fresh.reduce((least, { startedAt }) => Math.min(least, startedAt), Infinity) - SESSION_GAP_US;
  const until = fresh.reduce((most, { endedAt }) => Math.max(most, endedAt), -Infinity) + SESSION_GAP_US;
  const { rows: known } = await client.query<{ session_key: string; day: number; visitor: string; net: string }>(
    `SELECT session_key, day - date '1970-01-01' AS day, visitor, net FROM integrity.ivt_session
      WHERE asset_id = $1 AND ended_at - started_at >= interval '${LONG_SESSION_HOURS} hours'
        AND ended_at > $2 AND started_at < $3`,
    [assetId, timestamp(from), timestamp(until)],
  );
  const keyOf = ({ visitor, net }: { visitor: string; net: string }): string => `${net} ${visitor}`;
  const wanted = new Set(fresh.map(keyOf));
  const found: Row[] = [];
  for (const session of known.filter((one) => wanted.has(keyOf(one)))) {
    const { rows } = await client.query<Row>(
      `SELECT ${SELECTED} FROM ${sessionPartition(monthOfDay(session.day))} s WHERE s.asset_id = $1 AND s.session_key = $2`,
      [assetId, session.session_key],
    );
    found.push(...rows);
  }
  return found;
}

interface Row {
  session_key: string;
  day: number;
  visitor: string;
  net: string;
  host: string;
  asn: string | null;
  network_type: NetworkType;
  channel: string;
  unpaid: boolean;
  ft_channel: string;
  ua_class: UaClass;
  ua_browser: string;
  ua_os: string;
  started_us: string;
  ended_us: string;
  first_event_id: string;
  events: number;
  conversions: number;
  other_events: number;
  views: Buffer;
  geo_country: string;
  country_us: string | null;
  global_user_id: string | null;
  user_us: string | null;
  flagged_by: string | null;
  flagged_entity: string | null;
}

const SELECTED =
  `s.session_key, s.day - date '1970-01-01' AS day, s.visitor, s.net, s.host, s.asn, s.network_type, s.channel, s.unpaid,` +
  ` s.ft_channel, s.ua_class, s.ua_browser, s.ua_os, ${microseconds('s.started_at')} AS started_us,` +
  ` ${microseconds('s.ended_at')} AS ended_us, s.first_event_id, s.events, s.conversions, s.other_events, s.views,` +
  ` s.geo_country, ${microseconds('s.geo_country_at')} AS country_us, s.global_user_id,` +
  ` ${microseconds('s.global_user_at')} AS user_us, s.flagged_by, s.flagged_entity`;

function storedSession(row: Row): StoredSession {
  return {
    visitor: row.visitor,
    net: row.net,
    startedAt: Number(row.started_us),
    endedAt: Number(row.ended_us),
    firstId: row.first_event_id,
    head: {
      day: row.day,
      host: row.host,
      asn: row.asn === null ? null : Number(row.asn),
      networkType: row.network_type,
      channel: row.channel,
      ftChannel: row.ft_channel,
      unpaid: row.unpaid,
      uaClass: row.ua_class,
      browser: row.ua_browser,
      os: row.ua_os,
    },
    events: row.events,
    conversions: row.conversions,
    otherEvents: row.other_events,
    views: unpackViews(row.views),
    country: row.country_us === null ? null : { value: row.geo_country, at: Number(row.country_us) },
    user: row.user_us === null ? null : { value: row.global_user_id ?? '', at: Number(row.user_us) },
    flaggedBy: row.flagged_by,
    flaggedEntity: row.flagged_entity,
  };
}
