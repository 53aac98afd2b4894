import type { PoolClient } from 'pg';
import { earlierNaming, identityNamings, namedPerson, type EventNaming, type Move } from './namings.js';
import { copyCell, copyLines, nullable, numbers, texts } from '#ingest/sql.js';
import type { SubjectIds } from './subjects.js';

export interface Visitor {
  distinctId: string;
  id: number;
  person: number;
  naming: EventNaming | undefined;
  /** Made in this transaction. */
  fresh: boolean;
}

interface VisitorRow {
  distinct_id: string;
  visitor_id: string;
  person_id: string;
  event_named_us: string | null;
  event_named_by: string | null;
  event_named_person: string | null;
}

const VISITOR_COLUMNS =
  'v.distinct_id, v.visitor_id, v.person_id, v.event_named_us, v.event_named_by, v.event_named_person';

/** The caller holds the locks of their buckets. */
async function findVisitors(
  client: PoolClient,
  assetId: string,
  distinctIds: readonly string[],
): Promise<Map<string, Visitor>> {
  const { rows } = await client.query<VisitorRow>(
    `SELECT ${VISITOR_COLUMNS} FROM reporting.visitor v WHERE asset_id = $1 AND distinct_id = ANY ($2::text[])`,
    [assetId, texts(distinctIds)],
  );
  return new Map(rows.map((row) => [row.distinct_id, visitorOf(row)]));
}

function visitorOf(row: VisitorRow): Visitor {
  return {
    distinctId: row.distinct_id,
    id: Number(row.visitor_id),
    person: Number(row.person_id),
    naming:
      row.event_named_by === null
        ? undefined
        : { at: Number(row.event_named_us), id: row.event_named_by, person: Number(row.event_named_person) },
    fresh: false,
  };
}

/** Brings the visitors of events up to date with who these name. The caller holds the locks of their buckets. */
export class Visitors {
  constructor(
    private readonly client: PoolClient,
    private readonly ids: SubjectIds,
    private readonly assetId: string,
  ) {}

  /**
   * @param namings the visitors of events, with the earliest of these that names a person
   */
  async update(
    namings: ReadonlyMap<string, EventNaming | undefined>,
  ): Promise<{ visitors: Map<string, Visitor>; moves: Move[] }> {
    const visitors = await findVisitors(this.client, this.assetId, [...namings.keys()]);
    const renamed: Visitor[] = [];
    for (const visitor of visitors.values()) {
      const naming = namings.get(visitor.distinctId);
      if (naming === undefined || earlierNaming(visitor.naming, naming) !== naming) continue;
      visitor.naming = naming;
      renamed.push(visitor);
    }
    const moves = await this.assign(renamed);
    await this.store(renamed);
    for (const visitor of await this.make([...namings].filter(([distinctId]) => !visitors.has(distinctId)))) {
      visitors.set(visitor.distinctId, visitor);
    }
    return { visitors, moves };
  }

  /** Ids of visitors; those that are new are made. */
  async require(distinctIds: ReadonlySet<string>): Promise<Map<string, number>> {
    const known = await findVisitors(this.client, this.assetId, [...distinctIds]);
    const missing = [...distinctIds].filter((distinctId) => !known.has(distinctId));
    for (const visitor of await this.make(missing.map((distinctId) => [distinctId, undefined])))
      known.set(visitor.distinctId, visitor);
    return new Map([...known.values()].map(({ distinctId, id }) => [distinctId, id]));
  }

  /** Brings all visitors up to date that identity records of these persons name. The caller holds all buckets. */
  async identify(persons: readonly number[]): Promise<Move[]> {
    const { rows } = await this.client.query<VisitorRow>(
      `SELECT DISTINCT ${VISITOR_COLUMNS}
         FROM unnest($2::bigint[]) AS n (person)
        CROSS JOIN LATERAL (
          SELECT iv.visitor_id FROM reporting.identity_visitor iv
           WHERE iv.person_id = n.person AND iv.asset_id = $1 OFFSET 0) iv
        CROSS JOIN LATERAL (SELECT * FROM reporting.visitor k WHERE k.visitor_id = iv.visitor_id OFFSET 0) v`,
      [this.assetId, numbers(persons)],
    );
    const visitors = rows.map(visitorOf);
    const moves = await this.assign(visitors);
    const moved = new Set(moves.map(({ visitor }) => visitor));
    await this.store(visitors.filter(({ id }) => moved.has(id)));
    return moves;
  }

  /** No identity names a visitor that is not there: identity records make theirs. */
  private async make(missing: readonly [string, EventNaming | undefined][]): Promise<Visitor[]> {
    if (missing.length === 0) return [];
    const ids = await this.ids.take(this.client, missing.length);
    const made = missing.map(([distinctId, naming], index): Visitor => {
      const id = ids[index] ?? 0;
      return { distinctId, id, person: naming?.person ?? id, naming, fresh: true };
    });
    await copyLines(
      this.client,
      'COPY reporting.visitor (asset_id, distinct_id, visitor_id, person_id, event_named_us, event_named_by, event_named_person) FROM STDIN',
      made.map((visitor) => visitorLine(this.assetId, visitor)),
    );
    return made;
  }

  /** Gives each to the person of its earliest naming. */
  private async assign(visitors: readonly Visitor[]): Promise<Move[]> {
    if (visitors.length === 0) return [];
    const identities = await identityNamings(
      this.client,
      this.assetId,
      visitors.map(({ id }) => id),
    );
    const moves: Move[] = [];
    for (const visitor of visitors) {
      const person = namedPerson(visitor.naming, identities.get(visitor.id)) ?? visitor.id;
      if (person === visitor.person) continue;
      moves.push({ visitor: visitor.id, from: visitor.person, to: person });
      visitor.person = person;
    }
    return moves;
  }

  private async store(visitors: readonly Visitor[]): Promise<void> {
    if (visitors.length === 0) return;
    await this.client.query(
      `UPDATE reporting.visitor v
          SET person_id = n.person, event_named_us = n.us, event_named_by = n.event, event_named_person = n.named
         FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) AS n (visitor, person, us, event, named)
        CROSS JOIN LATERAL (
          SELECT k.ctid FROM reporting.visitor k WHERE k.visitor_id = n.visitor AND k.asset_id = $1 OFFSET 0) known
        WHERE v.ctid = known.ctid`,
      [
        this.assetId,
        numbers(visitors.map(({ id }) => id)),
        numbers(visitors.map(({ person }) => person)),
        nullable(visitors.map(({ naming }) => naming?.at)),
        texts(visitors.map(({ naming }) => naming?.id ?? null)),
        nullable(visitors.map(({ naming }) => naming?.person)),
      ],
    );
  }
}

function visitorLine(assetId: string, { distinctId, id, person, naming }: Visitor): string {
  const named = naming === undefined ? '\\N\t\\N\t\\N' : `${naming.at}\t${copyCell(naming.id)}\t${naming.person}`;
  return `${assetId}\t${copyCell(distinctId)}\t${id}\t${person}\t${named}\n`;
}
