import { channelKey } from '#contracts/channels/channel-key.js';
import { date } from '#ingest/sql.js';
import type { Query } from './query.js';

/** A network and local day whose sessions changed, as it was when it was looked at. */
export interface DirtyDay {
  net: string;
  day: number;
  /** As text, with all its digits. */
  since: string;
}

export function readDirty(query: Query, assetId: string): Promise<DirtyDay[]> {
  return query<DirtyDay>(
    `SELECT net, day - date '1970-01-01' AS day, since::text FROM integrity.dirty
      WHERE asset_id = $1 AND not_before <= clock_timestamp()`,
    [assetId],
  );
}

/** The days to be looked at, those of channels among them whose clicks are paid from now on. */
export async function changedDays(
  query: Query,
  assetId: string,
  dirty: readonly DirtyDay[],
  newChannels: ReadonlySet<string>,
): Promise<Set<number>> {
  const days = new Set(dirty.map(({ day }) => day));
  if (newChannels.size === 0) return days;
  const channels = await query<{ channel: string }>(
    'SELECT DISTINCT channel FROM integrity.ivt_session WHERE asset_id = $1 AND NOT unpaid',
    [assetId],
  );
  const rows = await query<{ day: number }>(
    `SELECT DISTINCT day - date '1970-01-01' AS day FROM integrity.ivt_session WHERE asset_id = $1 AND channel = ANY($2)`,
    [assetId, channels.map(({ channel }) => channel).filter((channel) => newChannels.has(channelKey(channel)))],
  );
  for (const { day } of rows) days.add(day);
  return days;
}

/** The days with verdicts or allowed entities: a rule that came or went may change them. */
export async function recheckedDays(query: Query, assetId: string): Promise<number[]> {
  const rows = await query<{ day: number }>(
    `SELECT day - date '1970-01-01' AS day FROM integrity.ivt_verdict WHERE asset_id = $1 AND superseded_by IS NULL
     UNION SELECT day - date '1970-01-01' FROM integrity.ivt_allow_use WHERE asset_id = $1`,
    [assetId],
  );
  return rows.map(({ day }) => day);
}

/** The last local day with sessions, at most the day after `today`: a clock that goes wrong makes no windows. */
export async function newestDay(query: Query, assetId: string, today: number): Promise<number | undefined> {
  const [row] = await query<{ day: number | null }>(
    `SELECT max(day) - date '1970-01-01' AS day FROM integrity.ivt_session WHERE asset_id = $1 AND day <= $2`,
    [assetId, date(today + 1)],
  );
  return row?.day ?? undefined;
}

/** What was looked at is done, unless it changed meanwhile. */
export async function clearDirty(
  query: Query,
  assetId: string,
  dirty: readonly DirtyDay[],
  through: number | null,
): Promise<void> {
  await query(
    `DELETE FROM integrity.dirty AS d USING unnest($2::text[], $3::date[], $4::timestamptz[]) AS seen (net, day, since)
      WHERE d.asset_id = $1 AND d.net = seen.net AND d.day = seen.day AND d.since = seen.since
        AND d.not_before <= clock_timestamp()`,
    [assetId, dirty.map(({ net }) => net), dirty.map(({ day }) => date(day)), dirty.map(({ since }) => since)],
  );
  await query(
    `INSERT INTO integrity.asset_state AS s (asset_id, scored_through, scored_at) VALUES ($1, $2, clock_timestamp())
     ON CONFLICT (asset_id) DO UPDATE SET scored_through = greatest(s.scored_through, excluded.scored_through), scored_at = excluded.scored_at`,
    [assetId, through === null ? null : date(through)],
  );
}

/** To be looked at again at a later time: entries of the open day are written hourly. */
export async function markLater(
  query: Query,
  assetId: string,
  later: readonly { net: string; day: number; notBefore: Date }[],
): Promise<void> {
  const first = new Map<string, (typeof later)[number]>();
  for (const one of later) {
    const key = `${one.day} ${one.net}`;
    const known = first.get(key);
    if (known === undefined || one.notBefore < known.notBefore) first.set(key, one);
  }
  const rows = [...first.values()];
  await query(
    `INSERT INTO integrity.dirty AS d (asset_id, net, day, not_before)
     SELECT $1, * FROM unnest($2::text[], $3::date[], $4::timestamptz[])
     ON CONFLICT (asset_id, day, net) DO UPDATE SET not_before = excluded.not_before WHERE d.since < excluded.since`,
    [assetId, rows.map(({ net }) => net), rows.map(({ day }) => date(day)), rows.map(({ notBefore }) => notBefore)],
  );
}

/** Sessions of each local day. */
export async function sessionsByDay(query: Query, assetId: string): Promise<Map<number, number>> {
  const rows = await query<{ day: number; sessions: number }>(
    `SELECT day - date '1970-01-01' AS day, count(*)::integer AS sessions FROM integrity.ivt_session WHERE asset_id = $1 GROUP BY day`,
    [assetId],
  );
  return new Map(rows.map(({ day, sessions }) => [day, sessions]));
}
