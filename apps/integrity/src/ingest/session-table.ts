import type { PoolClient } from 'pg';
import { copyCell, copyLines, date, microseconds, texts, timestamp } from '#ingest/sql.js';
import type { UaClass } from '../detection/traffic.js';
import type { NetworkType } from '../networks/network-types.js';
import { eventKey } from './event-key.js';
import { LONG_SESSION_HOURS } from './session-partitions.js';
import { SESSION_GAP_US, type Given, type SessionState } from './traffic-sessions.js';
import { distinctPaths, landingTimes, MAX_VIEWS, packViews, pathSignature, unpackViews } from './views.js';

/** A session of the table; what the scorer noted in it stays with it until it is scored again. */
export interface StoredSession extends SessionState {
  flaggedBy: string | null;
  flaggedEntity: string | null;
}

const COLUMNS =
  'asset_id, day, session_key, visitor, net, host, asn, network_type, channel, unpaid, ft_channel, ua_class, ua_browser,' +
  ' ua_os, started_at, ended_at, first_event_id, events, conversions, other_events, landing_hits, distinct_paths, views,' +
  ' path_sig, geo_country, geo_country_at, global_user_id, global_user_at, sampled, flagged_by, flagged_entity';

const DAY_US = 86_400_000_000;
const LONG_US = LONG_SESSION_HOURS * 3_600_000_000;
/** Local days lie this far from those of UTC, at most. */
const ZONE_DAYS = 1;

/**
 * The stored sessions that new ones touch: those with less than 30 minutes between. The caller holds the locks of the
 * visitors.
 */
export async function touchedSessions(
  client: PoolClient,
  assetId: string,
  fresh: readonly SessionState[],
): Promise<StoredSession[]> {
  if (fresh.length === 0) return [];
  const span = [
    assetId,
    texts(fresh.map(({ visitor }) => visitor)),
    texts(fresh.map(({ net }) => net)),
    times(fresh.map(({ startedAt }) => startedAt - SESSION_GAP_US)),
    times(fresh.map(({ endedAt }) => endedAt + SESSION_GAP_US)),
  ];
  const { rows } = await client.query<Row>(
    `WITH n AS MATERIALIZED (
       SELECT *, "from" - interval '${LONG_SESSION_HOURS} hours' AS earliest
         FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::date[], $7::date[])
           AS n (visitor, net, "from", until, first_day, last_day))
     SELECT ${SELECTED} FROM n CROSS JOIN LATERAL (
       SELECT * FROM integrity.ivt_session s
        WHERE s.asset_id = $1 AND s.visitor = n.visitor AND s.net = n.net AND s.day BETWEEN n.first_day AND n.last_day
          AND s.started_at > n.earliest AND s.started_at < n.until AND s.ended_at > n."from" OFFSET 0) s`,
    [
      ...span,
      days(fresh.map(({ startedAt }) => startedAt - SESSION_GAP_US - LONG_US - ZONE_DAYS * DAY_US)),
      days(fresh.map(({ endedAt }) => endedAt + SESSION_GAP_US + ZONE_DAYS * DAY_US)),
    ],
  );
  // Sessions without end are few, and may have started in any partition.
  const { rows: long } = await client.query<Row>(
    `WITH n AS MATERIALIZED (
       SELECT * FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[]) AS n (visitor, net, "from", until)),
     s AS MATERIALIZED (
       SELECT * FROM integrity.ivt_session
        WHERE asset_id = $1 AND ended_at - started_at >= interval '${LONG_SESSION_HOURS} hours'
          AND ended_at > $6 AND visitor = ANY($2::text[]))
     SELECT ${SELECTED} FROM s JOIN n ON s.visitor = n.visitor AND s.net = n.net AND s.started_at < n.until AND s.ended_at > n."from"`,
    [...span, timestamp(Math.min(...fresh.map(({ startedAt }) => startedAt - SESSION_GAP_US)))],
  );
  const sessions = new Map<string, StoredSession>();
  for (const row of [...rows, ...long])
    if (!sessions.has(row.session_key)) sessions.set(row.session_key, storedSession(row));
  return [...sessions.values()];
}

export async function deleteSessions(
  client: PoolClient,
  assetId: string,
  sessions: readonly SessionState[],
): Promise<void> {
  if (sessions.length === 0) return;
  await client.query(
    `DELETE FROM integrity.ivt_session s USING unnest($2::date[], $3::uuid[]) AS n (day, session_key)
      WHERE s.asset_id = $1 AND s.day = n.day AND s.session_key = n.session_key`,
    [
      assetId,
      `{${sessions.map(({ head }) => date(head.day)).join(',')}}`,
      `{${sessions.map(({ firstId }) => eventKey(firstId)).join(',')}}`,
    ],
  );
}

export async function insertSessions(
  client: PoolClient,
  assetId: string,
  sessions: readonly (SessionState & Partial<StoredSession>)[],
): Promise<void> {
  if (sessions.length === 0) return;
  const lines = function* (): Generator<string> {
    for (const session of sessions) yield line(assetId, session);
  };
  await copyLines(client, `COPY integrity.ivt_session (${COLUMNS}) FROM STDIN`, lines());
}

function line(assetId: string, session: SessionState & Partial<StoredSession>): string {
  const { head, views, country, user, events, otherEvents } = session;
  const key = `${assetId}\t${date(head.day)}\t${eventKey(session.firstId)}\t${copyCell(session.visitor)}`;
  const network = `${session.net}\t${head.host}\t${head.asn ?? '\\N'}\t${head.networkType}`;
  const touch = `${copyCell(head.channel)}\t${head.unpaid ? 't' : 'f'}\t${copyCell(head.ftChannel)}`;
  const agent = `${head.uaClass}\t${copyCell(head.browser)}\t${copyCell(head.os)}`;
  const span = `${timestamp(session.startedAt)}\t${timestamp(session.endedAt)}\t${copyCell(session.firstId)}`;
  const paths = distinctPaths(views);
  const counts = `${events}\t${session.conversions}\t${otherEvents}\t${landingTimes(views).length}\t${paths}`;
  const seen = `\\\\x${packViews(views).toString('hex')}\t${pathSignature(views, paths)}`;
  const given = `${copyCell(country?.value ?? '')}\t${timeCell(country)}\t${copyCell(user?.value ?? null)}\t${timeCell(user)}`;
  const sampled = events - otherEvents > MAX_VIEWS ? 't' : 'f';
  const flags = `${copyCell(session.flaggedBy ?? null)}\t${copyCell(session.flaggedEntity ?? null)}`;
  return `${key}\t${network}\t${touch}\t${agent}\t${span}\t${counts}\t${seen}\t${given}\t${sampled}\t${flags}\n`;
}

function timeCell(given: Given | null): string {
  return given === null ? '\\N' : timestamp(given.at);
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

function times(us: readonly number[]): string {
  return `{${us.map(timestamp).join(',')}}`;
}

function days(us: readonly number[]): string {
  return `{${us.map((at) => date(Math.floor(at / DAY_US))).join(',')}}`;
}
