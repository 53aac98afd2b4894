import { invalidParameter } from '#runtime/query.js';
import { ENTITY_ID } from '#contracts/integrity/severity.js';

/** Where a page of entities ends: rank of the severity, sessions and id of its last one. */
export type EntityPosition = readonly [rank: number, sessions: number, id: string];

export function entityCursor(position: EntityPosition): string {
  return Buffer.from(position.join(' ')).toString('base64url');
}

/** @throws AppError `invalid_parameter` for what no list has given out */
export function entityPosition(cursor: string | undefined): EntityPosition | undefined {
  if (cursor === undefined) return undefined;
  const [, rank, sessions, id] = /^([0-3]) (\d{1,15}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === undefined || !ENTITY_ID.test(id))
    throw invalidParameter([{ name: 'cursor', reason: 'is not one that a list has given' }]);
  return [Number(rank), Number(sessions), id];
}
