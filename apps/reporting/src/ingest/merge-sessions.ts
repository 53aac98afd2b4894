import { sameDimensions, type DimensionIds } from './dimension-ids.js';
import { beginsBefore, joinSessions, partKey, SESSION_GAP_US, type Part, type Session } from './sessions.js';

/**
 * Sessions of one visitor that belong together: new ones, and stored ones that they touch. A stored session is loaded
 * without its `others` at first, since a session without end may have very many.
 */
export interface Group {
  visitor: number;
  stored: Session[];
  fresh: [Session, ...Session[]];
}

/** A row of `session_part` without its person. */
export interface PartRow extends Part {
  visitor: number;
  start: number;
  dimensions: DimensionIds;
  /** Of the session, on the part that starts it; null on the others. */
  end: number | null;
  firstId: string | null;
}

/** What is to be done to the stored parts. The keys are visitor, start, day, named. */
export interface PartChanges {
  inserted: PartRow[];
  updated: { before: PartRow; after: PartRow }[];
  deleted: PartRow[];
}

/**
 * Puts new sessions and the stored ones around them into groups. Both are in order of their start; of the stored ones
 * those are given that start up to 30 minutes behind a new one, and the one before it.
 */
export function groupSessions(visitor: number, stored: readonly Session[], fresh: readonly Session[]): Group[] {
  const groups: Group[] = [];
  let open: { stored: Session[]; fresh: Session[]; end: number } | undefined;
  const close = (): void => {
    const [first, ...rest] = open?.fresh ?? [];
    if (open !== undefined && first !== undefined)
      groups.push({ visitor, stored: open.stored, fresh: [first, ...rest] });
  };
  let storedAt = 0;
  let freshAt = 0;
  for (;;) {
    const nextStored = stored[storedAt];
    const nextFresh = fresh[freshAt];
    const takesStored = nextStored !== undefined && (nextFresh === undefined || nextStored.start <= nextFresh.start);
    const next = takesStored ? nextStored : nextFresh;
    if (next === undefined) break;
    if (open === undefined || next.start - open.end >= SESSION_GAP_US) {
      close();
      open = { stored: [], fresh: [], end: next.end };
    }
    open.end = Math.max(open.end, next.end);
    if (takesStored) {
      open.stored.push(next);
      storedAt++;
    } else {
      open.fresh.push(next);
      freshAt++;
    }
  }
  close();
  return groups;
}

/** The parts that must be loaded before `mergeGroup`: all of the stored sessions, or those with the given keys. */
export type Needed = 'none' | 'all' | { day: number; named: number }[];

export function neededParts({ stored, fresh }: Group): Needed {
  const [only, another] = stored;
  if (only === undefined) return 'none';
  if (another !== undefined || fresh.some((session) => beginsBefore(session, only))) return 'all';
  const keys = new Map<string, { day: number; named: number }>();
  for (const { head, others } of fresh) {
    keys.set(partKey(head), head);
    for (const [key, part] of others) keys.set(key, part);
  }
  keys.delete(partKey(only.head));
  return keys.size === 0 ? 'none' : [...keys.values()];
}

/** Collects what a group does to the stored parts, once the needed ones are in `stored`. */
export function mergeGroup({ visitor, stored, fresh }: Group, changes: PartChanges): void {
  const [first, ...rest] = stored;
  if (first === undefined) {
    // Fresh sessions meet only over stored ones.
    for (const session of fresh) for (const row of rowsOf(visitor, session)) changes.inserted.push(row);
    return;
  }
  const merged = joinSessions([first, ...rest, ...fresh]);
  const before = new Map<string, PartRow>();
  for (const session of stored) for (const row of rowsOf(visitor, session)) before.set(rowKey(row), row);
  for (const after of rowsOf(visitor, merged)) {
    const key = rowKey(after);
    const known = before.get(key);
    before.delete(key);
    if (known === undefined) changes.inserted.push(after);
    else if (!sameRow(known, after)) changes.updated.push({ before: known, after });
  }
  changes.deleted.push(...before.values());
}

/** The rows of a session: its head first. */
export function rowsOf(visitor: number, session: Session): PartRow[] {
  const rows = [rowOf(visitor, session, session.head, session.end, session.firstId)];
  if (session.others.size > 0)
    for (const part of session.others.values()) rows.push(rowOf(visitor, session, part, null, null));
  return rows;
}

/** Written out: a spread takes several times as long, and there is one for every row. */
function rowOf(
  visitor: number,
  { start, dimensions }: Session,
  { day, named, firstAt, pageviews, conversions, events }: Part,
  end: number | null,
  firstId: string | null,
): PartRow {
  return { visitor, start, dimensions, end, firstId, day, named, firstAt, pageviews, conversions, events };
}

function rowKey({ start, day, named }: PartRow): string {
  return `${start}:${day}:${named}`;
}

function sameRow(a: PartRow, b: PartRow): boolean {
  return (
    a.events === b.events &&
    a.end === b.end &&
    a.firstId === b.firstId &&
    a.firstAt === b.firstAt &&
    a.pageviews === b.pageviews &&
    a.conversions === b.conversions &&
    sameDimensions(a.dimensions, b.dimensions)
  );
}
