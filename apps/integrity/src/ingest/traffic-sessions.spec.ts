import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  groupSessions,
  joinSessions,
  SESSION_GAP_US,
  sessionsOf,
  type SessionHead,
  type SessionState,
  type TrafficEvent,
} from './traffic-sessions.js';

const START_US = 1_772_323_200_000_000;

/** What of the first event a session has, told by the id in place of the host. */
function describeEvent({ id }: TrafficEvent): SessionHead {
  return {
    day: 0,
    host: id,
    asn: null,
    networkType: 'isp',
    channel: '',
    ftChannel: '',
    unpaid: false,
    uaClass: 'unknown',
    browser: '',
    os: '',
  };
}

function event(at: number, id: string, more: Partial<TrafficEvent> = {}): TrafficEvent {
  return { at, id, visitor: 'v', net: '', kind: 'page_view', path: 1, country: null, user: null, ...more };
}

/** Batches that come one after another, as the table takes them. */
function inBatches(batches: readonly (readonly TrafficEvent[])[]): SessionState[] {
  let stored: SessionState[] = [];
  for (const batch of batches) {
    const groups = groupSessions(stored, sessionsOf(batch, describeEvent));
    const gone = new Set(groups.flatMap((group) => group.stored));
    stored = stored.filter((session) => !gone.has(session));
    for (const group of groups) stored.push(joinSessions([...group.stored, ...group.fresh]));
  }
  return stored.sort((a, b) => a.startedAt - b.startedAt);
}

/** Times around the gap that ends a session; ids whose order as UTF-16 is not that of their bytes. */
const events = fc.uniqueArray(
  fc.record({
    at: fc
      .tuple(fc.integer({ min: 0, max: 12 }), fc.constantFrom(-1, 0, 0, 1))
      .map(([gaps, us]) => START_US + Math.floor((gaps * SESSION_GAP_US) / 2) + us),
    id: fc.tuple(fc.constantFrom('', '～', '😀'), fc.nat(99)).map(([odd, number]) => `${odd}${number}`),
    kind: fc.constantFrom('page_view' as const, 'page_view' as const, 'conversion' as const, 'other' as const),
    path: fc.integer({ min: 1, max: 3 }),
    country: fc.constantFrom(null, 'DE', 'US'),
    user: fc.constantFrom(null, 'u～', 'u😀'),
  }),
  { selector: ({ id }) => id, maxLength: 25 },
);

describe('sessions', () => {
  it('are the same whatever the order and the batches in which events come', () => {
    fc.assert(
      fc.property(
        events.chain((list) =>
          fc.record({
            list: fc.constant(list.map(({ at, id, ...more }) => event(at, id, more))),
            order: fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
            cuts: fc.array(fc.boolean(), { minLength: list.length, maxLength: list.length }),
          }),
        ),
        ({ list, order, cuts }) => {
          const batches: TrafficEvent[][] = [[]];
          for (const [number, place] of order.entries()) {
            if (cuts[number] === true) batches.push([]);
            const next = list[place];
            if (next !== undefined) batches.at(-1)?.push(next);
          }
          expect(inBatches(batches)).toEqual(sessionsOf(list, describeEvent));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('end after a gap of 30 minutes, and not a microsecond before', () => {
    const last = START_US + SESSION_GAP_US;
    expect(sessionsOf([event(START_US, 'a'), event(last, 'b')], describeEvent)).toHaveLength(2);
    expect(sessionsOf([event(START_US, 'a'), event(last - 1, 'b')], describeEvent)).toHaveLength(1);
  });

  it('become one when an event comes that lies between', () => {
    const [a, b] = [event(START_US, 'a'), event(START_US + SESSION_GAP_US + 5, 'b')];
    const between = event(START_US + 10, 'c', { kind: 'conversion' });
    expect(inBatches([[a], [b]])).toHaveLength(2);
    expect(inBatches([[a], [b], [between]])).toMatchObject([
      {
        startedAt: a.at,
        endedAt: b.at,
        firstId: 'a',
        events: 3,
        conversions: 1,
        otherEvents: 1,
        views: [a.at, 1, b.at, 1],
      },
    ]);
  });

  it('have the description of their first event, of several at once that with the lower id', () => {
    const late = event(START_US + 5, 'a', { country: 'DE', user: 'u1' });
    const [one, other] = [event(START_US, 'y'), event(START_US, 'x', { country: 'US' })];
    expect(inBatches([[late], [one], [other]])).toMatchObject([
      {
        firstId: 'x',
        head: { host: 'x' },
        country: { value: 'US', at: START_US },
        user: { value: 'u1', at: START_US + 5 },
      },
    ]);
  });

  it('leave stored sessions alone that none touches', () => {
    const stored = sessionsOf([event(START_US, 'a'), event(START_US + 10 * SESSION_GAP_US, 'b')], describeEvent);
    const fresh = sessionsOf([event(START_US + 5 * SESSION_GAP_US, 'c')], describeEvent);
    expect(groupSessions(stored, fresh)).toEqual([{ stored: [], fresh }]);
  });
});
