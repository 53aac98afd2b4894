import type { PoolClient } from 'pg';
import { deleteSessions, insertSessions } from './session-table.js';
import { touchedSessions, type StoredSession } from './stored-sessions.js';
import { groupSessions, joinSessions, type Group, type SessionState } from './traffic-sessions.js';

/** Networks and local days, each once. */
export class TouchedDays {
  private readonly days = new Map<string, { net: string; day: number }>();

  add(net: string, day: number): void {
    this.days.set(`${day} ${net}`, { net, day });
  }

  list(): { net: string; day: number }[] {
    return [...this.days.values()];
  }
}

/**
 * Puts new sessions into the table, with what they touch there joined to one.
 *
 * @param fresh sessions of each visitor and network
 * @returns the days of which something changed: a session that begins earlier now may leave one for another
 */
export async function mergeIntoTable(
  client: PoolClient,
  assetId: string,
  fresh: readonly (readonly SessionState[])[],
): Promise<TouchedDays> {
  const stored = new Map<string, StoredSession[]>();
  for (const session of await touchedSessions(client, assetId, fresh.flat())) {
    const known = stored.get(keyOf(session));
    if (known === undefined) stored.set(keyOf(session), [session]);
    else known.push(session);
  }
  const removed: StoredSession[] = [];
  const written: (SessionState & Partial<StoredSession>)[] = [];
  for (const own of fresh) {
    const [first] = own;
    if (first === undefined) continue;
    for (const group of groupSessions(stored.get(keyOf(first)) ?? [], own)) {
      removed.push(...group.stored);
      written.push(merged(group));
    }
  }
  await deleteSessions(client, assetId, removed);
  await insertSessions(client, assetId, written);
  const touched = new TouchedDays();
  for (const { net, head } of removed) touched.add(net, head.day);
  for (const { net, head } of written) touched.add(net, head.day);
  return touched;
}

/** Until it is scored again the session stays flagged as the first flagged one that went into it. */
function merged({ stored, fresh }: Group<StoredSession>): SessionState & Partial<StoredSession> {
  const session = joinSessions([...stored, ...fresh]);
  const flagged = stored.find(({ flaggedEntity }) => flaggedEntity !== null);
  if (flagged === undefined) return session;
  const { flaggedBy, flaggedEntity } = flagged;
  return { ...session, flaggedBy, flaggedEntity };
}

function keyOf({ net, visitor }: SessionState): string {
  return `${net} ${visitor}`;
}
