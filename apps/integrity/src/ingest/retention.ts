import type { DataSource } from 'typeorm';
import { date } from '#ingest/sql.js';

const DELETE_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** Local days lie up to one off, and an event that is just young enough must still find its session. */
const MARGIN_DAYS = 2;

/** Deletes the sessions of local days that are older than so many days. @returns how many */
export async function forgetSessions(dataSource: DataSource, days: number, now = new Date()): Promise<number> {
  const old = await dataSource.query<{ asset_id: string; day: string }[]>(
    'SELECT DISTINCT asset_id, day::text FROM integrity.ivt_session WHERE day < $1',
    [firstKept(now, days + MARGIN_DAYS)],
  );
  let deleted = 0;
  for (const { asset_id, day } of old) {
    deleted += await deleteAll(
      dataSource,
      `DELETE FROM integrity.ivt_session s USING (
         SELECT session_key FROM integrity.ivt_session WHERE asset_id = $1 AND day = $2 LIMIT ${DELETE_ROWS}) o
        WHERE s.asset_id = $1 AND s.day = $2 AND s.session_key = o.session_key`,
      [asset_id, day],
    );
  }
  return deleted;
}

/**
 * Forgets which events of older days were seen. They may come again, and are too old for sessions then.
 *
 * @returns how many
 */
export function forgetSeenEvents(dataSource: DataSource, days: number, now = new Date()): Promise<number> {
  return deleteAll(
    dataSource,
    `DELETE FROM integrity.seen_event WHERE (asset_id, event) IN (
       SELECT asset_id, event FROM integrity.seen_event WHERE day < $1 LIMIT ${DELETE_ROWS})`,
    [firstKept(now, days + MARGIN_DAYS)],
  );
}

/**
 * Deletes hosts, whose keys are addresses, that were last found before so many days. The ledger keeps commitments, which
 * nobody can open any more without the salt.
 *
 * @returns how many
 */
export function forgetHosts(dataSource: DataSource, days: number, now = new Date()): Promise<number> {
  return deleteAll(
    dataSource,
    `DELETE FROM integrity.ivt_entity WHERE (asset_id, entity_id) IN (
       SELECT asset_id, entity_id FROM integrity.ivt_entity WHERE type = 'host' AND last_seen < $1 LIMIT ${DELETE_ROWS})`,
    [firstKept(now, days)],
  );
}

function firstKept(now: Date, days: number): string {
  return date(Math.floor(now.getTime() / DAY_MS) - days);
}

/** A few thousand rows at a time, so that no writer waits long. */
async function deleteAll(dataSource: DataSource, statement: string, parameters: unknown[]): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [, count] = await dataSource.query<[unknown[], number]>(statement, parameters);
    deleted += count;
    if (count < DELETE_ROWS) return deleted;
  }
}
