import { isUUID } from 'class-validator';
import { invalidParameter } from '#runtime/query.js';

/** A page of a list, newest first. */
export interface Page<T> {
  items: T[];
  /** For the `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}

/** Where a page ends: the time of its last row, with microseconds, and its id. */
export type Position = readonly [time: string, id: string];

/** Microseconds included: a Date would lose them, and with them rows. */
export const CREATED_TEXT = `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_text`;

/** @throws AppError `invalid_parameter` for what no list has given out */
export function positionOf(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, time, id] =
    /^([12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (time === undefined || id === undefined || !isUUID(id) || !isRealTime(time))
    throw invalidParameter([{ name: 'cursor', reason: 'is not one that a list has given' }]);
  return [time, id];
}

/** The page out of one row more than it takes; `rows` carry CREATED_TEXT. */
export function pageOf<Row extends { created_text: string }, T>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  items: T[],
): Page<T> {
  const last = rows[limit - 1];
  const more = rows.length > limit && last !== undefined;
  return {
    items,
    next_cursor: more ? Buffer.from(`${last.created_text} ${idOf(last)}`).toString('base64url') : null,
  };
}

/** The database would fail on a 30 February. */
function isRealTime(time: string): boolean {
  const date = new Date(time);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === time.slice(0, 19);
}
