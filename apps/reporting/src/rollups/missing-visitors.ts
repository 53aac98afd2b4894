import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { assetVersions } from '../ingest/asset-versions.js';
import { ingestTransaction } from '#ingest/ingest-transaction.js';
import { lockBuckets } from '../ingest/locks.js';
import { microseconds } from '#ingest/sql.js';
import { personIds, SubjectIds } from '../ingest/subjects.js';
import type { EventNaming } from '../ingest/namings.js';
import { Visitors } from '../ingest/visitors.js';
import { writeChange } from '../ingest/write-change.js';

const ROWS = 5_000;

interface NamingRow {
  distinct_id: string;
  at: string | null;
  event_id: string | null;
  global_user_id: string | null;
}

/**
 * Makes visitors and persons that raw events have and the tables lack, and earlier namings: of events that were loaded
 * into the table past the ingest. Does it as the ingest does, in pieces, so that it goes on meanwhile.
 */
export async function makeMissingVisitors(dataSource: DataSource, reader: PoolClient, assetId: string): Promise<void> {
  const ids = new SubjectIds();
  await reader.query(
    `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL cursor_tuple_fraction = 1; SET LOCAL work_mem = '256MB'`,
  );
  try {
    await reader.query(
      `DECLARE missing_persons NO SCROLL CURSOR FOR
       SELECT DISTINCT e.global_user_id FROM reporting.event e
        WHERE e.asset_id = '${assetId}' AND e.global_user_id IS NOT NULL AND NOT EXISTS (
          SELECT FROM reporting.person p WHERE p.asset_id = e.asset_id AND p.global_user_id = e.global_user_id)`,
    );
    for await (const rows of piecesOf<{ global_user_id: string }>(reader, 'missing_persons')) {
      const names = new Set(rows.map(({ global_user_id }) => global_user_id));
      await ingestTransaction(dataSource, (client) => personIds(client, ids, assetId, names));
    }
    await reader.query(
      `DECLARE missing_visitors NO SCROLL CURSOR FOR
       SELECT s.distinct_id, n.at, n.event_id, n.global_user_id
         FROM (SELECT DISTINCT distinct_id FROM reporting.event WHERE asset_id = '${assetId}') s
         LEFT JOIN (
           SELECT DISTINCT ON (distinct_id) distinct_id, ${microseconds('event_time')} AS at, event_id, global_user_id
             FROM reporting.event WHERE asset_id = '${assetId}' AND global_user_id IS NOT NULL
            ORDER BY distinct_id, event_time, event_id COLLATE "C") n USING (distinct_id)
         LEFT JOIN reporting.visitor v ON v.asset_id = '${assetId}' AND v.distinct_id = s.distinct_id
        WHERE v.visitor_id IS NULL OR v.event_named_by IS DISTINCT FROM n.event_id OR v.event_named_us IS DISTINCT FROM n.at`,
    );
    for await (const rows of piecesOf<NamingRow>(reader, 'missing_visitors')) {
      await ingestTransaction(dataSource, (client) => takeNamings(client, ids, assetId, rows));
    }
  } finally {
    await reader.query('ROLLBACK');
  }
}

async function takeNamings(
  client: PoolClient,
  ids: SubjectIds,
  assetId: string,
  rows: readonly NamingRow[],
): Promise<void> {
  await lockBuckets(
    client,
    assetId,
    rows.map(({ distinct_id }) => visitorBucket(distinct_id)),
  );
  const asset = await assetVersions(client, assetId);
  const names = new Set(rows.flatMap(({ global_user_id }) => (global_user_id === null ? [] : [global_user_id])));
  const persons = await personIds(client, ids, assetId, names);
  const namings = new Map<string, EventNaming | undefined>();
  for (const { distinct_id, at, event_id, global_user_id } of rows) {
    const person = global_user_id === null ? undefined : persons.ids.get(global_user_id);
    namings.set(
      distinct_id,
      person === undefined || event_id === null ? undefined : { at: Number(at), id: event_id, person },
    );
  }
  const { moves } = await new Visitors(client, ids, assetId).update(namings);
  if (moves.length > 0) await writeChange(client, assetId, asset, { visitors: [], moves, outcomes: [] }, () => false);
}

async function* piecesOf<Row extends object>(client: PoolClient, cursor: string): AsyncGenerator<Row[]> {
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${ROWS} FROM ${cursor}`);
    if (rows.length === 0) return;
    yield rows;
  }
}
