import type { PoolClient } from 'pg';
import type { DimensionIds } from './dimension-ids.js';
import {
  groupSessions,
  mergeGroup,
  neededParts,
  type Group,
  type PartChanges,
  type PartRow,
} from './merge-sessions.js';
import { RollupChange } from './rollup-change.js';
import { partKey, sessionsOf, SESSION_GAP_US, type Part, type Session, type SessionEvent } from './sessions.js';
import { copyCell, copyLines, date, microseconds, nullable, numbers, texts, timestamp } from './sql.js';
import type { Move } from './visitors.js';

/** The new events of one visitor. */
export interface VisitorEvents {
  visitor: number;
  /** To whom its events belong that name nobody. */
  person: number;
  /** It had no event before, so nothing is looked for. */
  fresh: boolean;
  /** In order of `compareEvents`. */
  events: SessionEvent[];
}

/** What a batch does to sessions; a rebuild applies it to the new version too. */
export interface SessionChange {
  visitors: VisitorEvents[];
  moves: Move[];
}

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

const COUNTS = 'pageviews, conversions, events';
const DIMENSIONS = 'channel, source, geo, tech, campaign, spelling';
const PART_COLUMNS = `asset_id, version, visitor_id, started_at, day, named_id, person_id, starts, first_at, ended_at, first_event_id, ${DIMENSIONS}, ${COUNTS}`;
const DAY = `p.day - date '1970-01-01' AS day`;
const EPOCH = `timestamptz 'epoch'`;
const MICROSECOND = `interval '1 microsecond'`;
/**
 * All parts of a session, one part. Wherever keys are looked up, a LATERAL that can't be flattened says which comes first:
 * the planner may else look through all parts for each key, since it takes a new asset for an empty one.
 */
const SESSION = `p.asset_id = $1 AND p.version = $2 AND p.visitor_id = n.visitor AND p.started_at = ${EPOCH} + n.start * ${MICROSECOND}`;
const PART = `${SESSION} AND p.day = date '1970-01-01' + n.day AND p.named_id = n.named`;

/** The sessions of one version of an asset's rollups. */
export class SessionTable {
  constructor(
    private readonly client: PoolClient,
    private readonly assetId: string,
    private readonly version: number,
  ) {}

  /** Writes a change. The caller holds the locks of the visitors' buckets, or is the only one to write this version. */
  async apply({ visitors, moves }: SessionChange): Promise<RollupChange> {
    const change = new RollupChange();
    await this.move(moves, change);
    const groups = await this.groups(visitors);
    await this.loadParts(groups);
    const parts: PartChanges = { inserted: [], updated: [], deleted: [] };
    for (const group of groups) mergeGroup(group, parts);
    const persons = new Map(visitors.map(({ visitor, person }) => [visitor, person]));
    const personOf = (row: PartRow): number => (row.named === 0 ? (persons.get(row.visitor) ?? row.visitor) : row.named);
    for (const row of parts.inserted) change.added(row, personOf(row));
    for (const row of parts.deleted) change.removed(row, personOf(row));
    for (const { before, after } of parts.updated) change.updated(before, after, personOf(after));
    await this.delete(parts.deleted);
    await this.update(parts.updated.map(({ after }) => after));
    await this.insert(parts.inserted, personOf);
    return change;
  }

  /** Adds parts that are not there. */
  async insert(rows: Iterable<PartRow>, personOf: (row: PartRow) => number): Promise<void> {
    const lines = partLines(this.assetId, this.version, rows, personOf);
    const first = lines.next();
    if (first.done === true) return;
    const all = function* (): Generator<string> {
      yield first.value;
      yield* lines;
    };
    await copyLines(this.client, `COPY reporting.session_part (${PART_COLUMNS}) FROM STDIN`, all());
  }

  /** Parts that name nobody go with their visitor. */
  private async move(moves: readonly Move[], change: RollupChange): Promise<void> {
    if (moves.length === 0) return;
    const { rows } = await this.client.query<{
      visitor_id: string;
      day: number;
      channel: number;
      source: number;
      geo: number;
      tech: number;
      campaign: number;
      parts: number;
    }>(
      `WITH moved AS (
         UPDATE reporting.session_part p SET person_id = m.person
           FROM unnest($3::bigint[], $4::bigint[]) AS m (visitor, person)
          CROSS JOIN LATERAL (
            SELECT p.ctid FROM reporting.session_part p
             WHERE p.asset_id = $1 AND p.version = $2 AND p.visitor_id = m.visitor AND p.named_id = 0 OFFSET 0) known
          WHERE p.ctid = known.ctid
         RETURNING p.visitor_id, p.day, p.channel, p.source, p.geo, p.tech, p.campaign)
       SELECT p.visitor_id, ${DAY}, channel, source, geo, tech, campaign, count(*)::int AS parts
         FROM moved p GROUP BY 1, 2, 3, 4, 5, 6, 7`,
      [
        this.assetId,
        this.version,
        numbers(moves.map(({ visitor }) => visitor)),
        numbers(moves.map(({ to }) => to)),
      ],
    );
    const byVisitor = new Map(moves.map((move) => [move.visitor, move]));
    for (const { visitor_id, day, channel, source, geo, tech, campaign, parts } of rows) {
      const move = byVisitor.get(Number(visitor_id));
      // How sessions are spelled counts no users.
      if (move !== undefined)
        change.moved(move.from, move.to, { day, dimensions: [0, channel, source, geo, tech, campaign, 0], parts });
    }
  }

  private async groups(visitors: readonly VisitorEvents[]): Promise<Group[]> {
    const fresh = visitors.map(({ visitor, events, fresh: isNew }) => ({
      visitor,
      isNew,
      sessions: sessionsOf(events),
    }));
    const stored = await this.loadSessions(
      fresh.flatMap(({ visitor, isNew, sessions }) => (isNew ? [] : sessions.map((session) => ({ visitor, session })))),
    );
    return fresh.flatMap(({ visitor, sessions }) => groupSessions(visitor, stored.get(visitor) ?? [], sessions));
  }

  /**
   * The stored sessions that new ones may touch, without their other parts, by visitor and in order of their start. Only
   * the one before a new session and those that start up to 30 minutes behind its end can: anything wider would read
   * all sessions of a bot with every batch.
   */
  private async loadSessions(
    fresh: readonly { visitor: number; session: Session }[],
  ): Promise<Map<number, Session[]>> {
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
  private async loadParts(groups: readonly Group[]): Promise<void> {
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

  private async update(rows: readonly PartRow[]): Promise<void> {
    if (rows.length === 0) return;
    const column = (of: (row: PartRow) => number | null): string => nullable(rows.map(of));
    await this.client.query(
      `UPDATE reporting.session_part p
          SET starts = n.first_id IS NOT NULL, first_at = ${EPOCH} + n.first_at * ${MICROSECOND},
              ended_at = ${EPOCH} + n."end" * ${MICROSECOND}, first_event_id = n.first_id,
              channel = n.channel, source = n.source, geo = n.geo, tech = n.tech, campaign = n.campaign, spelling = n.spelling,
              pageviews = n.pageviews, conversions = n.conversions, events = n.events
         FROM unnest($3::bigint[], $4::bigint[], $5::int[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::int[],
                $11::int[], $12::int[], $13::int[], $14::int[], $15::int[], $16::int[], $17::int[], $18::int[])
           AS n (visitor, start, day, named, first_at, "end", first_id, channel, source, geo, tech, campaign, spelling,
                pageviews, conversions, events)
        CROSS JOIN LATERAL (SELECT p.ctid FROM reporting.session_part p WHERE ${PART} OFFSET 0) known
        WHERE p.ctid = known.ctid`,
      [
        this.assetId,
        this.version,
        column(({ visitor }) => visitor),
        column(({ start }) => start),
        column(({ day }) => day),
        column(({ named }) => named),
        column(({ firstAt }) => firstAt),
        column(({ end }) => end),
        texts(rows.map(({ firstId }) => firstId)),
        ...[1, 2, 3, 4, 5, 6].map((kind) => column(({ dimensions }) => dimensions[kind] ?? 0)),
        column(({ pageviews }) => pageviews),
        column(({ conversions }) => conversions),
        column(({ events }) => events),
      ],
    );
  }

  private async delete(rows: readonly PartRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.client.query(
      `DELETE FROM reporting.session_part p
        USING unnest($3::bigint[], $4::bigint[], $5::int[], $6::bigint[]) AS n (visitor, start, day, named)
        CROSS JOIN LATERAL (SELECT p.ctid FROM reporting.session_part p WHERE ${PART} OFFSET 0) known
        WHERE p.ctid = known.ctid`,
      [
        this.assetId,
        this.version,
        numbers(rows.map(({ visitor }) => visitor)),
        numbers(rows.map(({ start }) => start)),
        numbers(rows.map(({ day }) => day)),
        numbers(rows.map(({ named }) => named)),
      ],
    );
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

function* partLines(
  assetId: string,
  version: number,
  rows: Iterable<PartRow>,
  personOf: (row: PartRow) => number,
): Generator<string, undefined> {
  for (const row of rows) {
    const { visitor, start, day, named, firstAt, end, firstId, pageviews, conversions, events } = row;
    const [, channel, source, geo, tech, campaign, spelling] = row.dimensions;
    const session = `${assetId}\t${version}\t${visitor}\t${timestamp(start)}\t${date(day)}\t${named}\t${personOf(row)}`;
    const span = `${firstId === null ? 'f' : 't'}\t${timestamp(firstAt)}\t${end === null ? '\\N' : timestamp(end)}\t${copyCell(firstId)}`;
    yield `${session}\t${span}\t${channel}\t${source}\t${geo}\t${tech}\t${campaign}\t${spelling}\t${pageviews}\t${conversions}\t${events}\n`;
  }
  return undefined;
}
