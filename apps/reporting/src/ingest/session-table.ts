import type { PoolClient } from 'pg';
import { groupSessions, mergeGroup, type Group, type PartChanges, type PartRow } from './merge-sessions.js';
import type { Move } from './namings.js';
import { DAY, EPOCH, MICROSECOND, PART, PART_COLUMNS } from './part-columns.js';
import { RollupChange } from './rollup-change.js';
import { sessionsOf, type SessionEvent } from './sessions.js';
import { copyCell, copyLines, date, nullable, numbers, texts, timestamp } from '#ingest/sql.js';
import { StoredSessions } from './stored-sessions.js';

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

/** What a batch does to sessions. */
export interface SessionChange {
  visitors: VisitorEvents[];
  moves: Move[];
}

/** The sessions of one version of an asset's rollups. */
export class SessionTable {
  private readonly stored: StoredSessions;

  constructor(
    private readonly client: PoolClient,
    private readonly assetId: string,
    private readonly version: number,
  ) {
    this.stored = new StoredSessions(client, assetId, version);
  }

  /** Writes a change. The caller holds the locks of the visitors' buckets, or is the only one to write this version. */
  async apply({ visitors, moves }: SessionChange): Promise<RollupChange> {
    const change = new RollupChange();
    await this.move(moves, change);
    const groups = await this.groups(visitors);
    await this.stored.loadParts(groups);
    const parts: PartChanges = { inserted: [], updated: [], deleted: [] };
    for (const group of groups) mergeGroup(group, parts);
    const persons = new Map(visitors.map(({ visitor, person }) => [visitor, person]));
    const personOf = (row: PartRow): number =>
      row.named === 0 ? (persons.get(row.visitor) ?? row.visitor) : row.named;
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
      [this.assetId, this.version, numbers(moves.map(({ visitor }) => visitor)), numbers(moves.map(({ to }) => to))],
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
    const stored = await this.stored.load(
      fresh.flatMap(({ visitor, isNew, sessions }) => (isNew ? [] : sessions.map((session) => ({ visitor, session })))),
    );
    return fresh.flatMap(({ visitor, sessions }) => groupSessions(visitor, stored.get(visitor) ?? [], sessions));
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
