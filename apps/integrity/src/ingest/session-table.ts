import type { PoolClient } from 'pg';
import { copyCell, copyLines, date, timestamp } from '#ingest/sql.js';
import { eventKey } from './event-key.js';
import { monthOfDay, sessionPartition } from './session-partitions.js';
import type { StoredSession } from './stored-sessions.js';
import type { Given, SessionState } from './traffic-sessions.js';
import { distinctPaths, landingTimes, MAX_VIEWS, packViews, pathSignature } from './views.js';

const COLUMNS =
  'asset_id, day, session_key, visitor, net, host, asn, network_type, channel, unpaid, ft_channel, ua_class, ua_browser,' +
  ' ua_os, started_at, ended_at, first_event_id, events, conversions, other_events, landing_hits, distinct_paths, views,' +
  ' path_sig, geo_country, geo_country_at, global_user_id, global_user_at, sampled, flagged_by, flagged_entity';

/**
 * Deletes sessions, those of a partition at a time: given the days too, the planner may take an index that has nothing
 * but days.
 */
export async function deleteSessions(
  client: PoolClient,
  assetId: string,
  sessions: readonly SessionState[],
): Promise<void> {
  for (const [month, own] of byMonth(sessions)) {
    await client.query(
      `DELETE FROM ${sessionPartition(month)} s USING unnest($2::uuid[]) AS n (session_key)
        WHERE s.asset_id = $1 AND s.session_key = n.session_key`,
      [assetId, `{${own.map(({ firstId }) => eventKey(firstId)).join(',')}}`],
    );
  }
}

function byMonth(sessions: readonly SessionState[]): Map<number, SessionState[]> {
  const months = new Map<number, SessionState[]>();
  for (const session of sessions) {
    const month = monthOfDay(session.head.day);
    const known = months.get(month);
    if (known === undefined) months.set(month, [session]);
    else known.push(session);
  }
  return months;
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
