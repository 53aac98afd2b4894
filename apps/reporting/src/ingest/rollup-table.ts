import type { PoolClient } from 'pg';
import type { DimensionIds } from './dimension-ids.js';
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
    const now = await this.presences([...known.keys()]);
    for (const [person, changes] of known) gaps.person(now.get(person) ?? [], changes);
    await this.addUsers([...gaps.users()]);
    await this.addCounts([...change.counts()]);
  }

  /** The parts that persons have. */
  private async presences(persons: readonly number[]): Promise<Map<number, Presence[]>> {
    const result = new Map<number, Presence[]>();
    if (persons.length === 0) return result;
    const { rows } = await this.client.query<{
      person_id: string;
      day: number;
      channel: number;
      source: number;
      geo: number;
      tech: number;
      campaign: number;
      parts: number;
    }>(
      `SELECT person_id, day - date '1970-01-01' AS day, channel, source, geo, tech, campaign, count(*)::int AS parts
         FROM reporting.session_part WHERE asset_id = $1 AND version = $2 AND person_id = ANY ($3::bigint[])
        GROUP BY 1, 2, 3, 4, 5, 6, 7`,
      [this.assetId, this.version, numbers(persons)],
    );
    for (const { person_id, day, channel, source, geo, tech, campaign, parts } of rows) {
      const dimensions: DimensionIds = [0, channel, source, geo, tech, campaign, 0];
      const person = Number(person_id);
      const presences = result.get(person);
      if (presences === undefined) result.set(person, [{ day, dimensions, parts }]);
      else presences.push({ day, dimensions, parts });
    }
    return result;
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
