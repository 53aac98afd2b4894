import type { PoolClient } from 'pg';
import { KIND_COLUMNS, USER_KINDS } from './dimension-ids.js';
import { daysByDimension } from './gap-change.js';
import type { Presence } from './rollup-change.js';
import { numbers } from '#ingest/sql.js';

/** Parts of a person up to which they are all read whenever one changes. */
export const MOST_PARTS_READ = 1_000;

/** Parts by day of one person with one dimension value. */
export interface DaysOfPerson {
  person: number;
  kind: number;
  dimension: number;
  /** With the changes. */
  now: Map<number, number>;
  differences: Map<number, number>;
}

interface DifferenceRow {
  person: number;
  kind: number;
  dimension: number;
  day: number;
  parts: number;
}

const KINDS = KIND_COLUMNS.slice(0, USER_KINDS)
  .map((column, kind) => `(${kind}, ${column})`)
  .join(', ');

/** By kind, dimension value and day; `parts` is a FROM item with the columns of `session_part` as `p`. */
function partsOf(parts: string): string {
  return `
    SELECT $1::uuid, $2::int, p.person_id, k.kind, k.dim_id, p.day, count(*)
      FROM ${parts}
     CROSS JOIN LATERAL (VALUES ${KINDS}) AS k (kind, dim_id)
     GROUP BY 3, 4, 5, 6`;
}

/**
 * The days of persons with very many parts, of one version of an asset. Reading all their sessions with every batch would
 * stop the ingest; here only the days of the dimension values at hand are read. The caller holds the lock of the rollups.
 */
export class FrequentPersons {
  constructor(
    private readonly client: PoolClient,
    private readonly assetId: string,
    private readonly version: number,
  ) {}

  /** Those of the persons that are kept here. */
  async among(persons: readonly number[]): Promise<Set<number>> {
    const { rows } = await this.client.query<{ person_id: string }>(
      `SELECT f.person_id FROM reporting.frequent_person f
        WHERE f.person_id = ANY ($3::bigint[]) AND f.version = $2 AND f.asset_id = $1`,
      [this.assetId, this.version, numbers(persons)],
    );
    return new Set(rows.map(({ person_id }) => Number(person_id)));
  }

  /** Keeps persons from now on, with all their parts as they are written. */
  async add(persons: readonly number[]): Promise<void> {
    const parameters = [this.assetId, this.version, numbers(persons)];
    await this.client.query(
      'INSERT INTO reporting.frequent_person (asset_id, version, person_id) SELECT $1, $2, unnest($3::bigint[])',
      parameters,
    );
    const parts = `unnest($3::bigint[]) AS n (person) CROSS JOIN LATERAL (
      SELECT * FROM reporting.session_part s WHERE s.person_id = n.person AND s.version = $2 AND s.asset_id = $1 OFFSET 0) p`;
    await this.client.query(`INSERT INTO reporting.frequent_person_day ${partsOf(parts)}`, parameters);
  }

  /** Notes how many parts there are more or less. */
  async change(changes: ReadonlyMap<number, readonly Presence[]>): Promise<void> {
    const rows = differencesOf(changes);
    if (rows.length === 0) return;
    await this.client.query(
      `INSERT INTO reporting.frequent_person_day AS d (asset_id, version, person_id, kind, dim_id, day, parts)
       SELECT $1, $2, person, kind, dimension, date '1970-01-01' + day, parts
         FROM unnest($3::bigint[], $4::smallint[], $5::int[], $6::int[], $7::int[]) AS n (person, kind, dimension, day, parts)
       ON CONFLICT (person_id, version, kind, dim_id, day, asset_id) DO UPDATE SET parts = d.parts + excluded.parts`,
      [
        this.assetId,
        this.version,
        numbers(rows.map(({ person }) => person)),
        numbers(rows.map(({ kind }) => kind)),
        numbers(rows.map(({ dimension }) => dimension)),
        numbers(rows.map(({ day }) => day)),
        numbers(rows.map(({ parts }) => parts)),
      ],
    );
  }

  /** The days of the persons with the dimension values that change. Call it when the changes are noted. */
  async days(changes: ReadonlyMap<number, readonly Presence[]>): Promise<DaysOfPerson[]> {
    const wanted = new Map<string, DaysOfPerson>();
    for (const { person, kind, dimension, day, parts } of differencesOf(changes)) {
      const key = `${person}:${kind}:${dimension}`;
      const known = wanted.get(key);
      if (known !== undefined) known.differences.set(day, parts);
      else wanted.set(key, { person, kind, dimension, now: new Map(), differences: new Map([[day, parts]]) });
    }
    const all = [...wanted.values()];
    if (all.length === 0) return [];
    const { rows } = await this.client.query<{ place: string; day: number; parts: number }>(
      `SELECT n.place, d.day - date '1970-01-01' AS day, d.parts
         FROM unnest($3::bigint[], $4::smallint[], $5::int[]) WITH ORDINALITY AS n (person, kind, dimension, place)
        CROSS JOIN LATERAL (
          SELECT f.day, f.parts FROM reporting.frequent_person_day f
           WHERE f.person_id = n.person AND f.version = $2 AND f.kind = n.kind AND f.dim_id = n.dimension
             AND f.asset_id = $1 OFFSET 0) d`,
      [
        this.assetId,
        this.version,
        numbers(all.map(({ person }) => person)),
        numbers(all.map(({ kind }) => kind)),
        numbers(all.map(({ dimension }) => dimension)),
      ],
    );
    for (const { place, day, parts } of rows) all[Number(place) - 1]?.now.set(day, parts);
    return all;
  }
}

/** Keeps all persons of a version who have that many parts; it keeps none yet. */
export async function addFrequentPersons(client: PoolClient, assetId: string, version: number): Promise<void> {
  await client.query(
    `INSERT INTO reporting.frequent_person (asset_id, version, person_id)
     SELECT $1::uuid, $2::int, person_id FROM reporting.session_part WHERE asset_id = $1 AND version = $2
      GROUP BY person_id HAVING count(*) > ${MOST_PARTS_READ}`,
    [assetId, version],
  );
  const parts = `reporting.frequent_person f
      JOIN reporting.session_part p ON p.person_id = f.person_id AND p.version = f.version AND p.asset_id = f.asset_id
        AND f.asset_id = $1 AND f.version = $2`;
  await client.query(`INSERT INTO reporting.frequent_person_day ${partsOf(parts)}`, [assetId, version]);
}

function differencesOf(changes: ReadonlyMap<number, readonly Presence[]>): DifferenceRow[] {
  const rows: DifferenceRow[] = [];
  for (const [person, presences] of changes) {
    for (let kind = 0; kind < USER_KINDS; kind++) {
      for (const [dimension, days] of daysByDimension(kind, presences))
        for (const [day, parts] of days) if (parts !== 0) rows.push({ person, kind, dimension, day, parts });
    }
  }
  return rows;
}
