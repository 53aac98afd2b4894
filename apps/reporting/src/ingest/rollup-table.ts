import type { PoolClient } from 'pg';
import { FrequentPersons, MOST_PARTS_READ } from './frequent-persons.js';
import { GapChange, NEVER, type GapUsers } from './gap-change.js';
import type { Presence, RollupChange, RollupCounts } from './rollup-change.js';
import { copyLines, date, numbers } from './sql.js';

/** The rollups of one version of an asset. */
export class RollupTable {
  constructor(
    private readonly client: PoolClient,
    private readonly assetId: string,
    private readonly version: number,
  ) {}

  /**
   * Writes what changed parts do to rollups and users. The parts are written, and the caller holds the lock of the
   * asset's rollups (`lockRollups`): what others wrote is seen here, and nobody reads between this and the commit.
   *
   * @param isNew whether a person had no part at all before: nothing is read for it
   */
  async apply(change: RollupChange, isNew: (person: number) => boolean): Promise<void> {
    const gaps = new GapChange();
    const known = new Map<number, Presence[]>();
    for (const [person, changes] of change.presences()) {
      if (isNew(person)) gaps.newPerson(changes);
      else known.set(person, changes);
    }
    await this.gapsOfKnown(known, gaps);
    await this.addUsers([...gaps.users()]);
    await this.addCounts([...change.counts()]);
  }

  private async gapsOfKnown(known: ReadonlyMap<number, Presence[]>, gaps: GapChange): Promise<void> {
    if (known.size === 0) return;
    const persons = new FrequentPersons(this.client, this.assetId, this.version);
    const frequent = new Map<number, Presence[]>();
    for (const person of await persons.among([...known.keys()])) frequent.set(person, known.get(person) ?? []);
    await persons.change(frequent);
    const { now, tooMany } = await this.presences([...known.keys()].filter((person) => !frequent.has(person)));
    if (tooMany.length > 0) {
      await persons.add(tooMany);
      for (const person of tooMany) frequent.set(person, known.get(person) ?? []);
    }
    for (const [person, changes] of known) if (!frequent.has(person)) gaps.person(now.get(person) ?? [], changes);
    for (const { kind, dimension, now: days, differences } of await persons.days(frequent))
      gaps.days(kind, dimension, days, differences);
  }

  /** The parts that persons have; of those who have too many to be read, only who they are. */
  private async presences(persons: readonly number[]): Promise<{ now: Map<number, Presence[]>; tooMany: number[] }> {
    const now = new Map<number, Presence[]>();
    if (persons.length === 0) return { now, tooMany: [] };
    const { rows } = await this.client.query<{
      person: string;
      day: number;
      channel: number;
      source: number;
      geo: number;
      tech: number;
      campaign: number;
      parts: number;
    }>(
      `SELECT n.person, p.day - date '1970-01-01' AS day, channel, source, geo, tech, campaign, count(*)::int AS parts
         FROM unnest($3::bigint[]) AS n (person)
        CROSS JOIN LATERAL (
          SELECT day, channel, source, geo, tech, campaign FROM reporting.session_part s
           WHERE s.person_id = n.person AND s.version = $2 AND s.asset_id = $1 LIMIT ${MOST_PARTS_READ + 1}) p
        GROUP BY 1, 2, 3, 4, 5, 6, 7`,
      [this.assetId, this.version, numbers(persons)],
    );
    const read = new Map<number, number>();
    for (const { person: id, day, channel, source, geo, tech, campaign, parts } of rows) {
      const person = Number(id);
      const presence: Presence = { day, dimensions: [0, channel, source, geo, tech, campaign, 0], parts };
      const presences = now.get(person);
      if (presences === undefined) now.set(person, [presence]);
      else presences.push(presence);
      read.set(person, (read.get(person) ?? 0) + parts);
    }
    const tooMany = [...read].filter(([, parts]) => parts > MOST_PARTS_READ).map(([person]) => person);
    return { now, tooMany };
  }

  private async addUsers(gaps: readonly GapUsers[]): Promise<void> {
    if (gaps.length === 0) return;
    const rows = gaps.toSorted(
      (a, b) => a.kind - b.kind || a.day - b.day || a.dimension - b.dimension || a.previous - b.previous,
    );
    const { rows: updated } = await this.client.query<{ place: string }>(
      `UPDATE reporting.user_gap g SET users = g.users + n.users
         FROM unnest($3::smallint[], $4::int[], $5::int[], $6::int[], $7::bigint[])
              WITH ORDINALITY AS n (kind, day, dimension, previous, users, place)
        CROSS JOIN LATERAL (
          SELECT k.ctid FROM reporting.user_gap k
           WHERE k.asset_id = $1 AND k.version = $2 AND k.kind = n.kind AND k.day = date '1970-01-01' + n.day
             AND k.dim_id = n.dimension
             AND k.prev_day = CASE WHEN n.previous = ${NEVER} THEN '-infinity' ELSE date '1970-01-01' + n.previous END
           LIMIT 1) known
        WHERE g.ctid = known.ctid
        RETURNING n.place`,
      [
        this.assetId,
        this.version,
        numbers(rows.map(({ kind }) => kind)),
        numbers(rows.map(({ day }) => day)),
        numbers(rows.map(({ dimension }) => dimension)),
        numbers(rows.map(({ previous }) => previous)),
        numbers(rows.map(({ users }) => users)),
      ],
    );
    await this.insert('user_gap (asset_id, version, kind, day, dim_id, prev_day, users)', rows, updated, (row) => {
      const previous = row.previous === NEVER ? '-infinity' : date(row.previous);
      return `${row.kind}\t${date(row.day)}\t${row.dimension}\t${previous}\t${row.users}`;
    });
  }

  private async addCounts(counts: readonly RollupCounts[]): Promise<void> {
    if (counts.length === 0) return;
    const rows = counts.toSorted((a, b) => a.kind - b.kind || a.day - b.day || a.dimension - b.dimension);
    const { rows: updated } = await this.client.query<{ place: string }>(
      `UPDATE reporting.rollup_day r
          SET sessions = r.sessions + n.sessions, pageviews = r.pageviews + n.pageviews,
              conversions = r.conversions + n.conversions, events = r.events + n.events
         FROM unnest($3::smallint[], $4::int[], $5::int[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
              WITH ORDINALITY AS n (kind, day, dimension, sessions, pageviews, conversions, events, place)
        CROSS JOIN LATERAL (
          SELECT k.ctid FROM reporting.rollup_day k
           WHERE k.asset_id = $1 AND k.version = $2 AND k.kind = n.kind AND k.day = date '1970-01-01' + n.day
             AND k.dim_id = n.dimension LIMIT 1) known
        WHERE r.ctid = known.ctid
        RETURNING n.place`,
      [
        this.assetId,
        this.version,
        numbers(rows.map(({ kind }) => kind)),
        numbers(rows.map(({ day }) => day)),
        numbers(rows.map(({ dimension }) => dimension)),
        numbers(rows.map(({ sessions }) => sessions)),
        numbers(rows.map(({ pageviews }) => pageviews)),
        numbers(rows.map(({ conversions }) => conversions)),
        numbers(rows.map(({ events }) => events)),
      ],
    );
    const columns = 'rollup_day (asset_id, version, kind, day, dim_id, sessions, pageviews, conversions, events)';
    await this.insert(columns, rows, updated, (row) => {
      const { kind, day, dimension, sessions, pageviews, conversions, events } = row;
      return `${kind}\t${date(day)}\t${dimension}\t${sessions}\t${pageviews}\t${conversions}\t${events}`;
    });
  }

  /** Those that were not updated are not there; under the lock nobody else makes them. */
  private async insert<T>(
    target: string,
    rows: readonly T[],
    updated: readonly { place: string }[],
    cells: (row: T) => string,
  ): Promise<void> {
    if (updated.length === rows.length) return;
    const there = new Set(updated.map(({ place }) => Number(place)));
    const lines: string[] = [];
    for (const [index, row] of rows.entries()) {
      if (!there.has(index + 1)) lines.push(`${this.assetId}\t${this.version}\t${cells(row)}\n`);
    }
    await copyLines(this.client, `COPY reporting.${target} FROM STDIN`, lines);
  }
}
