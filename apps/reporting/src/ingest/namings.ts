import type { PoolClient } from 'pg';
import { compareBytes } from '#ingest/byte-order.js';
import { microseconds, numbers } from '#ingest/sql.js';

/** The earliest event that names a person for a visitor. */
export interface EventNaming {
  at: number;
  id: string;
  person: number;
}

/** The earliest naming of a visitor by an identity. */
export interface IdentityNaming {
  /** Infinity: the identity has no time. */
  at: number;
  person: number;
}

/** A visitor whose events that name nobody belong to another person from now on. */
export interface Move {
  visitor: number;
  from: number;
  to: number;
}

export function earlierNaming(a: EventNaming | undefined, b: EventNaming): EventNaming {
  if (a === undefined) return b;
  return b.at < a.at || (b.at === a.at && compareBytes(b.id, a.id) < 0) ? b : a;
}

/** The earliest naming at all; an event comes before an identity of the same time. */
export function namedPerson(event: EventNaming | undefined, identity: IdentityNaming | undefined): number | undefined {
  if (event === undefined || identity === undefined) return event?.person ?? identity?.person;
  return event.at <= identity.at ? event.person : identity.person;
}

/** By visitor. */
export async function identityNamings(
  client: PoolClient,
  assetId: string,
  visitors: readonly number[],
): Promise<Map<number, IdentityNaming>> {
  const { rows } = await client.query<{ visitor_id: string; person_id: string; at: string | null }>(
    `SELECT n.visitor_id, i.person_id, i.at
       FROM unnest($2::bigint[]) AS n (visitor_id)
      CROSS JOIN LATERAL (
        SELECT p.person_id, ${microseconds('coalesce(p.identified_at, p.first_seen_at)')} AS at
          FROM reporting.identity_visitor iv
          JOIN reporting.person p ON p.person_id = iv.person_id
         WHERE iv.asset_id = $1 AND iv.visitor_id = n.visitor_id
         ORDER BY at NULLS LAST, p.global_user_id COLLATE "C" LIMIT 1) i`,
    [assetId, numbers(visitors)],
  );
  return new Map(
    rows.map(({ visitor_id, person_id, at }) => [
      Number(visitor_id),
      { person: Number(person_id), at: at === null ? Infinity : Number(at) },
    ]),
  );
}
