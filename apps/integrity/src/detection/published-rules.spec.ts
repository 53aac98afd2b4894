import { describe, expect, it } from '@jest/globals';
import {
  DAY,
  NO_BASELINE,
  NOON,
  people,
  session,
  visits,
  windowOf,
} from '../../../../test/fixtures/traffic-sessions.js';
import { assess } from './assess.js';
import { clickFlood } from './detectors/click-flood.js';
import { repeatClick } from './detectors/repeat-click.js';
import type { TrafficSession } from './traffic.js';

const DAY_MS = 86_400_000;

function detectionsAmongPeople(sessions: readonly TrafficSession[], lastDay: number) {
  const all = [...people(200), ...sessions];
  return assess({ sessions: all, firstDay: DAY, lastDay, throughDay: lastDay, allow: [], assetId: 'asset' }).detections;
}

/** Limits that other products publish, and what they are here: a person reaches them, so none of them decides alone. */
describe('published rules', () => {
  it('ClickCease, 3 clicks of one address in 90 days: clean here', () => {
    const clicks = [0, 40, 80].map((day) => session({ key: `click ${day}`, startedAt: NOON + day * DAY_MS }));
    expect(detectionsAmongPeople(clicks, DAY + 89)).toEqual([]);
    expect(repeatClick(windowOf(clicks), NO_BASELINE).score).toBe(0);
    const atOnce = visits(3, () => ({}), { everyMinutes: 1 });
    expect(clickFlood(windowOf(atOnce), NO_BASELINE).score).toBe(0);
    expect(repeatClick(windowOf(atOnce), NO_BASELINE).score).toBe(0);
  });

  it('Spider AF, 10 clicks in 24 hours: noticed here, and not flagged without other evidence', () => {
    const ten = visits(10, () => ({ distinctPaths: 2, visitor: 'shopper' }), { everyMinutes: 50 });
    expect(repeatClick(windowOf(ten), NO_BASELINE)).toMatchObject({
      score: expect.closeTo(Math.log2(11 / 7) / 2, 12),
      observed: '10',
      limit: '6',
    });
    expect(detectionsAmongPeople(ten, DAY + 6)).toEqual([]);
    expect(repeatClick(windowOf(ten.slice(0, 6)), NO_BASELINE).score).toBe(0);
  });

  it.each([100, 300])(
    'Matomo, %p actions in a visit: clean when they are pages, a flood when they are clicks',
    (actions) => {
      const pages = session({ events: actions, distinctPaths: actions, endedAt: NOON + 3_600_000 });
      expect(clickFlood(windowOf([pages]), NO_BASELINE).score).toBe(0);
      expect(detectionsAmongPeople([pages], DAY + 6)).toEqual([]);
      const landingHits = Array.from({ length: actions }, (_, index) => NOON + index * 10_000);
      expect(clickFlood(windowOf([session({ events: actions, landingHits })]), NO_BASELINE).score).toBe(1);
    },
  );
});
