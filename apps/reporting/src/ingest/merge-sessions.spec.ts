import { describe, expect, it } from '@jest/globals';
import type { DimensionIds } from './dimension-ids.js';
import { groupSessions, mergeGroup, neededParts, type PartChanges } from './merge-sessions.js';
import { COUNTS_AS, sessionsOf, type Session, type SessionEvent } from './sessions.js';

const MINUTE = 60_000_000;
const VISITOR = 7;

function event(minute: number, fields: Partial<SessionEvent> = {}): SessionEvent {
  return {
    at: minute * MINUTE,
    id: `at ${minute}`,
    day: 0,
    named: 0,
    countsAs: COUNTS_AS.pageview,
    dimensions: dimensions(minute),
    ...fields,
  };
}

function dimensions(channel: number): DimensionIds {
  return [0, channel, 1, 1, 1, 1, 1];
}

function session(...events: SessionEvent[]): Session {
  const [only] = sessionsOf(events);
  if (only === undefined) throw new Error('A session needs an event.');
  return only;
}

function merge(stored: Session[], fresh: Session[]): PartChanges {
  const changes: PartChanges = { inserted: [], updated: [], deleted: [] };
  for (const group of groupSessions(VISITOR, stored, fresh)) mergeGroup(group, changes);
  return changes;
}

describe('sessionsOf', () => {
  it('begins a session after 30 minutes, and none a microsecond before', () => {
    const at = 30 * MINUTE;
    expect(sessionsOf([event(0), event(0, { at })])).toHaveLength(2);
    expect(sessionsOf([event(0), event(0, { at: at - 1 })])).toHaveLength(1);
  });

  it('keeps a part for each day and each person it names; the first one counts as the session', () => {
    const { head, others, start, end } = session(event(0), event(1, { named: 9 }), event(2), event(3, { day: 1 }));
    expect({ start, end }).toEqual({ start: 0, end: 3 * MINUTE });
    expect(head).toMatchObject({ day: 0, named: 0, events: 2 });
    expect([...others.values()]).toMatchObject([
      { day: 0, named: 9, events: 1, firstAt: MINUTE },
      { day: 1, named: 0, events: 1 },
    ]);
  });
});

describe('new sessions beside stored ones', () => {
  it('that touch none are inserted, and the stored ones stay', () => {
    const changes = merge([session(event(0))], [session(event(30)), session(event(90))]);
    expect(changes.inserted.map(({ start }) => start)).toEqual([30 * MINUTE, 90 * MINUTE]);
    expect(changes).toMatchObject({ updated: [], deleted: [] });
  });

  it('that go on make the stored one longer and leave its dimensions', () => {
    const { inserted, updated, deleted } = merge([session(event(0))], [session(event(29))]);
    expect({ inserted, deleted }).toEqual({ inserted: [], deleted: [] });
    expect(updated[0]?.after).toMatchObject({ start: 0, end: 29 * MINUTE, events: 2, dimensions: dimensions(0) });
  });

  it('that begin earlier take the stored one over, with their dimensions', () => {
    const { inserted, updated, deleted } = merge([session(event(20))], [session(event(0))]);
    expect(updated).toEqual([]);
    expect(deleted).toMatchObject([{ start: 20 * MINUTE, events: 1 }]);
    expect(inserted).toMatchObject([{ start: 0, end: 20 * MINUTE, events: 2, dimensions: dimensions(0) }]);
  });

  it('that lie between two join these', () => {
    const { inserted, updated, deleted } = merge([session(event(0)), session(event(40))], [session(event(20))]);
    expect(inserted).toEqual([]);
    expect(updated[0]?.after).toMatchObject({ start: 0, end: 40 * MINUTE, events: 3, firstId: 'at 0' });
    expect(deleted).toMatchObject([{ start: 40 * MINUTE }]);
  });

  it('that begin at the same time with a lower id give it their dimensions, and count as the session', () => {
    const lower = event(0, { id: 'a', named: 9, dimensions: dimensions(5) });
    const { inserted, updated } = merge([session(event(0, { id: 'b' }))], [session(lower)]);
    expect(inserted).toMatchObject([{ named: 9, firstId: 'a', end: 0, dimensions: dimensions(5) }]);
    expect(updated[0]?.after).toMatchObject({ named: 0, firstId: null, end: null, dimensions: dimensions(5) });
  });
});

describe('neededParts', () => {
  const needed = (stored: Session[], fresh: Session[]): unknown =>
    groupSessions(VISITOR, stored, fresh).map(neededParts);

  it('are none for a new session and for what goes into the first part', () => {
    expect(needed([], [session(event(0))])).toEqual(['none']);
    expect(needed([session(event(0))], [session(event(10))])).toEqual(['none']);
  });

  it('are those that change where the session goes on', () => {
    expect(needed([session(event(0))], [session(event(10), event(11, { named: 9 }))])).toEqual([
      [{ day: 0, named: 9 }].map((key) => expect.objectContaining(key) as unknown),
    ]);
  });

  it('are all where sessions join or begin anew', () => {
    expect(needed([session(event(10))], [session(event(0))])).toEqual(['all']);
    expect(needed([session(event(0)), session(event(40))], [session(event(20))])).toEqual(['all']);
  });
});
