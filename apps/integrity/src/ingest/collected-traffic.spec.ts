import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { localDaysOf } from '#ingest/local-days.js';
import { date } from '#ingest/sql.js';
import { ADDRESSES, expectedSessions, type SentTraffic } from '../../../../test/fixtures/traffic-oracle.js';
import { parseAddress } from '../networks/address.js';
import { hostKey, networkKey } from '../networks/network-key.js';
import type { NetworkOf } from '../networks/network-knowledge.js';
import { isReserved } from '../networks/reserved.js';
import { readTraffic, type CollectedEvent } from './collected-traffic.js';
import { eventKey } from './event-key.js';
import { sessionHead } from './session-head.js';
import { groupSessions, joinSessions, sessionsOf, type SessionState } from './traffic-sessions.js';
import { distinctPaths, landingTimes, pathSignature } from './views.js';

const NOW = new Date('2026-03-01T00:00:00Z');
const ZONE = 'Europe/Berlin';
const days = localDaysOf(ZONE);

const networks = {
  lookup(ip: string): NetworkOf | undefined {
    const address = parseAddress(ip);
    if (address === undefined) return undefined;
    const reserved = isReserved(address);
    const type = reserved ? 'reserved' : 'isp';
    return { address: ip, net: networkKey(address), host: hostKey(address), asn: null, asnOrg: null, type, reserved };
  },
  typeForSession: (type: NetworkOf['type']) => type,
};

/** Around the end of a day in Berlin, and half the gap that ends a session; several at once. */
const time = fc.tuple(fc.integer({ min: -3, max: 9 }), fc.constantFrom(-1, 0, 0, 0, 1)).map(([quarters, us]) => {
  const at = BigInt(Date.parse('2025-10-25T22:00:00Z')) * 1000n + BigInt(quarters * 15 * 60_000_000 + us);
  return `${new Date(Number(at / 1000n)).toISOString().slice(0, -1)}${String(at % 1000n).padStart(3, '0')}Z`;
});

const sent: fc.Arbitrary<SentTraffic> = fc.record(
  {
    event_id: fc.tuple(fc.constantFrom('', '～', '😀'), fc.nat(20)).map(([odd, number]) => `${odd}${number}`),
    event_time: time,
    event_type: fc.constantFrom('page_view', 'page_view', 'conversion', 'scroll'),
    distinct_id: fc.constantFrom('v', 'w 8.8.8.0/24'),
    ip: fc.constantFrom(...ADDRESSES.flatMap(([ip]) => (ip === undefined ? [] : [ip]))),
    page_path: fc.constantFrom('/', '/a', '/b'),
    lt_channel: fc.constantFrom('Google', 'Smoke Signals', ' '),
    geo_country: fc.constantFrom('DE', 'US'),
    global_user_id: fc.constantFrom('u', 'ü'),
  },
  { requiredKeys: ['event_id', 'event_time', 'event_type', 'distinct_id'] },
);

/** As the database would keep them: new events alone, by visitor and network, joined with what they touch. */
function takeBatches(batches: readonly (readonly SentTraffic[])[]): SessionState[] {
  const seen = new Set<string>();
  const stored = new Map<string, SessionState[]>();
  for (const records of batches) {
    const { events } = readTraffic([{ id: 'm', source: '', records }], networks, NOW, 400);
    const fresh = events.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const keyOf = ({ visitor, net }: CollectedEvent): string => JSON.stringify([visitor, net]);
    for (const key of new Set(fresh.map(keyOf))) {
      const own = fresh.filter((event) => keyOf(event) === key);
      const known = stored.get(key) ?? [];
      const groups = groupSessions(
        known,
        sessionsOf(own, (first) => sessionHead(first, days, networks)),
      );
      const gone = new Set(groups.flatMap((group) => group.stored));
      const joined = groups.map((group) => joinSessions([...group.stored, ...group.fresh]));
      stored.set(key, [...known.filter((session) => !gone.has(session)), ...joined]);
    }
  }
  return [...stored.values()].flat();
}

function inFormOfOracle(session: SessionState): object {
  const { head, views } = session;
  return {
    key: eventKey(session.firstId),
    visitor: session.visitor,
    net: session.net,
    host: head.host,
    reserved: head.networkType === 'reserved',
    channel: head.channel,
    startedAt: Math.floor(session.startedAt / 1000),
    endedAt: Math.floor(session.endedAt / 1000),
    day: date(head.day),
    events: session.events,
    conversions: session.conversions,
    otherEvents: session.otherEvents,
    landingHits: landingTimes(views).map((us) => Math.floor(us / 1000)),
    distinctPaths: distinctPaths(views),
    pathSignature: pathSignature(views),
    country: session.country?.value ?? '',
  };
}

describe('collected traffic', () => {
  it('gives the sessions of the oracle, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.array(sent, { maxLength: 8 }), { maxLength: 8 }), (batches) => {
        const sessions = takeBatches(batches);
        const expected = expectedSessions(batches.flat(), ZONE).map(({ hour: _, convertedBefore: __, ...session }) => ({
          ...session,
          key: session.key.replaceAll('-', ''),
        }));
        const byKey = (a: { key?: string }, b: { key?: string }): number => ((a.key ?? '') < (b.key ?? '') ? -1 : 1);
        expect(sessions.map(inFormOfOracle).sort(byKey)).toEqual(expected.sort(byKey));
      }),
      { numRuns: 500 },
    );
  });

  it('tells bad records, repeated ids and what is too old', () => {
    const old = { event_id: 'old', event_time: '2025-01-01T00:00:00Z', event_type: 'x', distinct_id: 'v' };
    const ahead = { ...old, event_id: 'ahead', event_time: '2026-03-02T00:00:00.001Z' };
    const good = { ...old, event_id: 'good', event_time: '2026-03-02T00:00:00Z' };
    const records = [old, ahead, good, { ...good, event_type: 'other' }, null, { ...good, event_id: 'a\0' }];
    const {
      events,
      old: tooOld,
      repeated,
      bad,
      newest,
    } = readTraffic([{ id: 'm', source: '', records }], networks, NOW, 400);
    expect(events.map(({ id }) => id)).toEqual(['good']);
    expect(tooOld.map(({ id }) => id)).toEqual(['old']);
    expect({ repeated, bad, newest }).toEqual({
      repeated: 1,
      bad: 3,
      newest: Date.parse('2026-03-02T00:00:00Z') * 1000,
    });
  });
});
