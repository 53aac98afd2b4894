import type { PoolClient } from 'pg';
import { FrequentPersons, MOST_PARTS_READ } from './frequent-persons.js';
import { GapChange, NEVER, type GapUsers } from './gap-change.js';
import { updatePersonSpans } from './person-spans.js';
import type { Presence, RollupChange, RollupCounts } from './rollup-change.js';
import { numbers } from '#ingest/sql.js';

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
    await updatePersonSpans(this.client, this.assetId, this.version, change.touched());
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

  private async addUsers(rows: readonly GapUsers[]): Promise<void> {
    if (rows.length === 0) return;
    await this.client.query(
      `INSERT INTO reporting.user_gap AS g (asset_id, version, kind, day, dim_id, prev_day, users)
       SELECT $1, $2, kind, date '1970-01-01' + day, dimension,
              CASE WHEN previous = ${NEVER} THEN '-infinity' ELSE date '1970-01-01' + previous END, users
         FROM unnest($3::smallint[], $4::int[], $5::int[], $6::int[], $7::bigint[])
              AS n (kind, day, dimension, previous, users)
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
