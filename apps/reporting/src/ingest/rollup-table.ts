import type { PoolClient } from 'pg';
import type { DimensionIds } from './dimension-ids.js';
import { GapChange, NEVER, type GapUsers } from './gap-change.js';
import type { Presence, RollupChange, RollupCounts } from './rollup-change.js';
import { numbers } from './sql.js';

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

  private async addUsers(rows: readonly GapUsers[]): Promise<void> {
    if (rows.length === 0) return;
    await this.client.query(
      `INSERT INTO reporting.user_gap AS g (asset_id, version, kind, day, dim_id, prev_day, users)
       SELECT $1, $2, kind, date '1970-01-01' + day, dimension,
              CASE WHEN previous = ${NEVER} THEN '-infinity' ELSE date '1970-01-01' + previous END, users
         FROM unnest($3::smallint[], $4::int[], $5::int[], $6::int[], $7::bigint[]) AS n (kind, day, dimension, previous, users)
        ORDER BY kind, day, dimension, previous
       ON CONFLICT (asset_id, version, kind, day, dim_id, prev_day) DO UPDATE SET users = g.users + excluded.users`,
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
  }

  private async addCounts(rows: readonly RollupCounts[]): Promise<void> {
    if (rows.length === 0) return;
    await this.client.query(
      `INSERT INTO reporting.rollup_day AS r (asset_id, version, kind, day, dim_id, sessions, pageviews, conversions, events)
       SELECT $1, $2, kind, date '1970-01-01' + day, dimension, sessions, pageviews, conversions, events
         FROM unnest($3::smallint[], $4::int[], $5::int[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
           AS n (kind, day, dimension, sessions, pageviews, conversions, events)
        ORDER BY kind, day, dimension
       ON CONFLICT (asset_id, version, kind, day, dim_id) DO UPDATE
         SET sessions = r.sessions + excluded.sessions, pageviews = r.pageviews + excluded.pageviews,
             conversions = r.conversions + excluded.conversions, events = r.events + excluded.events`,
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
  }
}
