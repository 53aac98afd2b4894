import type { PoolClient } from 'pg';
import { KIND_COLUMNS, USER_KINDS } from '../ingest/dimension-ids.js';
import { addFrequentPersons } from '../ingest/frequent-persons.js';
import { rowsOf, type PartRow } from '../ingest/merge-sessions.js';
import { SessionBuilder, type Session } from '../ingest/sessions.js';
import { SessionTable } from '../ingest/session-table.js';
import type { StoredEvent } from './stored-events.js';

const ROWS_AT_ONCE = 20_000;

interface Built {
  events: number;
  sessions: number;
}

/**
 * Makes sessions of events, which come ordered by visitor, time and id, by the code that makes them in the ingest. A
 * session without end is only held as its parts.
 */
class VersionSessions {
  readonly built: Built = { events: 0, sessions: 0 };
  rows: PartRow[] = [];
  private readonly builder = new SessionBuilder();
  private readonly persons = new Map<number, number>();
  private visitor = 0;

  add({ visitor, person, event }: StoredEvent): void {
    if (visitor !== this.visitor) this.finish();
    this.visitor = visitor;
    this.persons.set(visitor, person);
    this.built.events++;
    this.take(this.builder.add(event));
  }

  finish(): void {
    this.take(this.builder.end());
  }

  /** The rows made until now; they are forgotten. */
  flush(): { rows: PartRow[]; personOf: (row: PartRow) => number } {
    const { rows, visitor } = this;
    const persons = new Map(this.persons);
    const person = this.persons.get(visitor);
    this.rows = [];
    this.persons.clear();
    // Its last session is still to come.
    if (person !== undefined) this.persons.set(visitor, person);
    return { rows, personOf: (row) => (row.named === 0 ? (persons.get(row.visitor) ?? row.visitor) : row.named) };
  }

  private take(session: Session | undefined): void {
    if (session === undefined) return;
    for (const row of rowsOf(this.visitor, session)) this.rows.push(row);
    this.built.sessions++;
  }
}

/**
 * Writes the sessions of events, which come ordered by visitor, time and id, as parts of a version that has none yet.
 *
 * @param onConnection gives a connection for a while; none is held while events are read
 */
export async function buildSessions(
  onConnection: (work: (client: PoolClient) => Promise<void>) => Promise<void>,
  assetId: string,
  version: number,
  pieces: AsyncIterable<readonly StoredEvent[]>,
): Promise<Built> {
  const sessions = new VersionSessions();
  const write = (): Promise<void> =>
    onConnection(async (client) => {
      const { rows, personOf } = sessions.flush();
      await new SessionTable(client, assetId, version).insert(rows, personOf);
    });
  for await (const piece of pieces) {
    for (const event of piece) sessions.add(event);
    if (sessions.rows.length >= ROWS_AT_ONCE) await write();
  }
  sessions.finish();
  await write();
  return sessions.built;
}

/** Writes the rollups, users and frequent persons of a version that has only sessions. */
export async function buildRollups(client: PoolClient, assetId: string, version: number): Promise<void> {
  const kinds = KIND_COLUMNS.map((column, kind) => `(${kind}, ${column})`).join(', ');
  await client.query(
    `INSERT INTO reporting.rollup_day (asset_id, version, kind, day, dim_id, sessions, pageviews, conversions, events)
     SELECT $1, $2, k.kind, day, k.dim_id, sum(sessions), sum(pageviews), sum(conversions), sum(events)
       FROM (
         SELECT day, channel, source, geo, tech, campaign, spelling, count(*) FILTER (WHERE starts) AS sessions,
                sum(pageviews) AS pageviews, sum(conversions) AS conversions, sum(events) AS events
           FROM reporting.session_part WHERE asset_id = $1 AND version = $2
          GROUP BY 1, 2, 3, 4, 5, 6, 7) d
      CROSS JOIN LATERAL (VALUES ${kinds}) AS k (kind, dim_id)
      GROUP BY 3, 4, 5`,
    [assetId, version],
  );
  await client.query(
    `INSERT INTO reporting.person_span (asset_id, version, person_id, first_day, last_day, first_at)
     SELECT $1, $2, person_id, min(day), max(day), min(first_at)
       FROM reporting.session_part JOIN reporting.person USING (asset_id, person_id)
      WHERE asset_id = $1 AND version = $2 GROUP BY person_id`,
    [assetId, version],
  );
  for (const [kind, column] of KIND_COLUMNS.slice(0, USER_KINDS).entries()) {
    await client.query(
      `INSERT INTO reporting.user_gap (asset_id, version, kind, day, dim_id, prev_day, users)
       SELECT $1, $2, ${kind}, day, dim_id, prev_day, count(*)
         FROM (
           SELECT dim_id, day, coalesce(lag(day) OVER (PARTITION BY dim_id, person_id ORDER BY day), '-infinity') AS prev_day
             FROM (SELECT DISTINCT ${column} AS dim_id, person_id, day FROM reporting.session_part
                    WHERE asset_id = $1 AND version = $2) d) p
        GROUP BY 4, 5, 6`,
      [assetId, version],
    );
  }
  await addFrequentPersons(client, assetId, version);
}
