import type { PoolClient } from 'pg';
import type { DimensionIds } from './dimension-ids.js';
import { neededParts, type Group } from './merge-sessions.js';
import { COUNTS, DAY, DIMENSIONS, EPOCH, MICROSECOND, PART, SESSION } from './part-columns.js';
import { partKey, SESSION_GAP_US, type Part, type Session } from './sessions.js';
import { microseconds, numbers } from '#ingest/sql.js';

interface StoredRow {
  visitor_id: string;
  start: string;
  end: string;
  first_event_id: string;
  first_at: string;
  day: number;
  named_id: string;
  channel: number;
  source: number;
  geo: number;
  tech: number;
  campaign: number;
  spelling: number;
  pageviews: number;
  conversions: number;
  events: number;
}

type OtherPartRow = Pick<
  StoredRow,
  'visitor_id' | 'start' | 'first_at' | 'day' | 'named_id' | 'pageviews' | 'conversions' | 'events'
>;

/** Reads sessions of one version of an asset, never more than what new ones can touch. */
export class StoredSessions {
  constructor(
    private readonly client: PoolClient,
    private readonly assetId: string,
    private readonly version: number,
  ) {}

  /**
   * The stored sessions that new ones may touch, without their other parts, by visitor and in order of their start. Only
   * the one before a new session and those that start up to 30 minutes behind its end can: anything wider would read
   * all sessions of a bot with every batch.
   */
  async load(fresh: readonly { visitor: number; session: Session }[]): Promise<Map<number, Session[]>> {
    const stored = new Map<number, Session[]>();
    if (fresh.length === 0) return stored;
    const head = `p.asset_id = $1 AND p.version = $2 AND p.visitor_id = n.visitor AND p.starts`;
    const columns = `p.visitor_id, p.started_at, p.ended_at, p.first_event_id, p.first_at, p.day, p.named_id, ${DIMENSIONS}, ${COUNTS}`;
    const { rows } = await this.client.query<StoredRow>(
      `WITH n AS MATERIALIZED (
         SELECT visitor, ${EPOCH} + start * ${MICROSECOND} AS start, ${EPOCH} + "end" * ${MICROSECOND} AS "end"
           FROM unnest($3::bigint[], $4::bigint[], $5::bigint[]) AS n (visitor, start, "end"))
       SELECT p.visitor_id, ${microseconds('p.started_at')} AS start, ${microseconds('p.ended_at')} AS "end",
              p.first_event_id, ${microseconds('p.first_at')} AS first_at, ${DAY}, p.named_id, ${DIMENSIONS}, ${COUNTS}
         FROM (
           SELECT p.* FROM n
            CROSS JOIN LATERAL (
              SELECT q.started_at FROM reporting.session_part q
               WHERE q.asset_id = $1 AND q.version = $2 AND q.visitor_id = n.visitor AND q.started_at <= n.start
               ORDER BY q.started_at DESC LIMIT 1) before
            CROSS JOIN LATERAL (
              SELECT ${columns} FROM reporting.session_part p
               WHERE ${head} AND p.started_at = before.started_at ORDER BY p.day, p.named_id LIMIT 1) p
           UNION ALL
           SELECT p.* FROM n
            CROSS JOIN LATERAL (
              SELECT ${columns} FROM reporting.session_part p
               WHERE ${head} AND p.started_at > n.start AND p.started_at < n."end" OFFSET 0) p
         ) p`,
      [
        this.assetId,
        this.version,
        numbers(fresh.map(({ visitor }) => visitor)),
        numbers(fresh.map(({ session }) => session.start)),
        numbers(fresh.map(({ session }) => session.end + SESSION_GAP_US)),
      ],
    );
    const seen = new Set<string>();
    for (const row of rows) {
      const key = `${row.visitor_id}:${row.start}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const visitor = Number(row.visitor_id);
      const sessions = stored.get(visitor);
      if (sessions === undefined) stored.set(visitor, [storedSession(row)]);
      else sessions.push(storedSession(row));
    }
    for (const sessions of stored.values()) sessions.sort((a, b) => a.start - b.start);
    return stored;
  }

  /** Loads the other parts that are needed into the stored sessions of the groups. */
  async loadParts(groups: readonly Group[]): Promise<void> {
    const sessions = new Map<string, Session>();
    const whole: [visitor: number, start: number][] = [];
    const single: [visitor: number, start: number, day: number, named: number][] = [];
    for (const group of groups) {
      const needed = neededParts(group);
      if (needed === 'none') continue;
      for (const session of group.stored) {
        sessions.set(`${group.visitor}:${session.start}`, session);
        if (needed === 'all') whole.push([group.visitor, session.start]);
        else for (const { day, named } of needed) single.push([group.visitor, session.start, day, named]);
      }
    }
    const loaded = [...(await this.wholeSessions(whole)), ...(await this.singleParts(single))];
    for (const row of loaded) {
      const part = partOf(row);
      sessions.get(`${row.visitor_id}:${row.start}`)?.others.set(partKey(part), part);
    }
  }

  private async wholeSessions(keys: readonly [number, number][]): Promise<OtherPartRow[]> {
    if (keys.length === 0) return [];
    const { rows } = await this.client.query<OtherPartRow>(
      `SELECT p.visitor_id, n.start, ${microseconds('p.first_at')} AS first_at, ${DAY}, p.named_id, ${COUNTS}
         FROM unnest($3::bigint[], $4::bigint[]) AS n (visitor, start)
        CROSS JOIN LATERAL (
          SELECT * FROM reporting.session_part p
           WHERE ${SESSION} AND NOT p.starts OFFSET 0) p`,
      [this.assetId, this.version, numbers(keys.map(([visitor]) => visitor)), numbers(keys.map(([, start]) => start))],
    );
    return rows;
  }

  private async singleParts(keys: readonly [number, number, number, number][]): Promise<OtherPartRow[]> {
    if (keys.length === 0) return [];
    const { rows } = await this.client.query<OtherPartRow>(
      `SELECT p.visitor_id, n.start, ${microseconds('p.first_at')} AS first_at, ${DAY}, p.named_id, ${COUNTS}
         FROM unnest($3::bigint[], $4::bigint[], $5::int[], $6::bigint[]) AS n (visitor, start, day, named)
        CROSS JOIN LATERAL (SELECT * FROM reporting.session_part p WHERE ${PART} OFFSET 0) p`,
      [
        this.assetId,
        this.version,
        numbers(keys.map(([visitor]) => visitor)),
        numbers(keys.map(([, start]) => start)),
        numbers(keys.map(([, , day]) => day)),
        numbers(keys.map(([, , , named]) => named)),
      ],
    );
    return rows;
  }
}

function storedSession(row: StoredRow): Session {
  const { channel, source, geo, tech, campaign, spelling } = row;
  const dimensions: DimensionIds = [0, channel, source, geo, tech, campaign, spelling];
  return {
    start: Number(row.start),
    end: Number(row.end),
    firstId: row.first_event_id,
    dimensions,
    head: partOf(row),
    others: new Map(),
  };
}

function partOf({ day, named_id, first_at, pageviews, conversions, events }: OtherPartRow): Part {
  return { day, named: Number(named_id), firstAt: Number(first_at), pageviews, conversions, events };
}
