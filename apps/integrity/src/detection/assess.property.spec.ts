import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY, people, session } from '../../../../test/fixtures/traffic-sessions.js';
import { NETWORK_TYPES, type NetworkType } from '../networks/network-types.js';
import { assess } from './assess.js';
import { hasHumanEvidence } from './engagement.js';
import { DETECTORS, type Detection, type TrafficSession, type UaClass } from './traffic.js';

const DAY_MS = 86_400_000;
const FIRST = DAY;
const LAST = DAY + 6;

interface Gang {
  networkType: NetworkType;
  uaClass: UaClass;
  count: number;
  hosts: number;
  ids: number;
  day: number;
  gapSeconds: number;
  converting: number;
  paid: boolean;
}

const gang: fc.Arbitrary<Gang> = fc.record({
  networkType: fc.constantFrom(...NETWORK_TYPES),
  uaClass: fc.constantFrom<UaClass>('bot', 'automation', 'in_app', 'mobile', 'desktop', 'unknown'),
  count: fc.integer({ min: 1, max: 60 }),
  hosts: fc.integer({ min: 1, max: 5 }),
  ids: fc.integer({ min: 1, max: 60 }),
  day: fc.integer({ min: -7, max: 8 }),
  gapSeconds: fc.integer({ min: 0, max: 9_000 }),
  converting: fc.integer({ min: 0, max: 3 }),
  paid: fc.boolean(),
});

function sessionsOf(gangs: readonly Gang[]): TrafficSession[] {
  return gangs.flatMap(({ networkType, uaClass, count, hosts, ids, day, gapSeconds, converting, paid }, place) =>
    Array.from({ length: count }, (_, index) =>
      session({
        key: `gang ${place} ${index}`,
        visitor: `visitor ${place} ${index % ids}`,
        net: `8.8.${place}.0/24`,
        host: `8.8.${place}.${index % hosts}`,
        networkType,
        uaClass,
        browser: uaClass === 'bot' ? 'Googlebot' : 'Chrome',
        startedAt: (DAY + day) * DAY_MS + index * gapSeconds * 1_000,
        conversions: index < converting ? 1 : 0,
        standing: paid ? 'paid' : 'unpaid',
      }),
    ),
  );
}

function detect(sessions: readonly TrafficSession[], firstDay = FIRST, lastDay = LAST): readonly Detection[] {
  return assess({ sessions, firstDay, lastDay, throughDay: lastDay + 6, allow: [], assetId: 'asset' }).detections;
}

describe('assess, whatever the traffic', () => {
  const humans = people(60);

  it('counts sessions once, none with human evidence, on wanted days of flagged entities only', () => {
    fc.assert(
      fc.property(fc.array(gang, { maxLength: 5 }), (gangs) => {
        const counted = new Set<TrafficSession>();
        for (const one of detect([...humans, ...sessionsOf(gangs)])) {
          expect(one.day).toBeGreaterThanOrEqual(FIRST);
          expect(one.day).toBeLessThanOrEqual(LAST);
          expect(one.window[0]).toBeLessThanOrEqual(one.day);
          expect(one.window).toEqual([one.window[1] - 6, expect.any(Number)]);
          expect(one.severity).not.toBe('clean');
          if (one.severity === 'suspected') expect(one.flagged).toEqual([]);
          for (const counts of one.flagged) {
            expect(counted.has(counts)).toBe(false);
            counted.add(counts);
            expect(hasHumanEvidence(counts)).toBe(false);
            expect(counts.day).toBe(one.day);
            expect(counts.networkType).not.toBe('reserved');
          }
          expect(one.counts.flaggedSessions).toBe(one.flagged.length);
          for (const code of DETECTORS) expect(one.scores[code]).toBe(Math.min(1, Math.max(0, one.scores[code])));
          expect(one.reasons.every(({ observed, sentence }) => observed !== '' && sentence !== '')).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('confirms no carrier, no relay, and an office for declared bots only', () => {
    fc.assert(
      fc.property(fc.array(gang, { minLength: 1, maxLength: 4 }), (gangs) => {
        for (const { severity, networkType, scores } of detect([...humans, ...sessionsOf(gangs)])) {
          if (severity !== 'confirmed') continue;
          expect(['mobile', 'relay']).not.toContain(networkType);
          if (networkType === 'business' || networkType === 'education')
            expect(scores.declared_bot).toBeGreaterThanOrEqual(0.7);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('says the same in any order, and of a day whatever range is asked for', () => {
    fc.assert(
      fc.property(fc.array(gang, { maxLength: 4 }), fc.integer({ min: 0, max: 6 }), (gangs, offset) => {
        const sessions = [...humans, ...sessionsOf(gangs)];
        const whole = detect(sessions);
        expect(detect([...sessions].reverse())).toEqual(whole);
        const day = FIRST + offset;
        const near = sessions.filter((one) => one.day >= day - 6 && one.day <= day + 6);
        expect(detect(near, day, day)).toEqual(whole.filter((one) => one.day === day));
      }),
      { numRuns: 40 },
    );
  });
});
