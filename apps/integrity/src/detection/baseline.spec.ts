import { describe, expect, it } from '@jest/globals';
import { DAY, NO_BASELINE, NOON, session, visits } from '../../../../test/fixtures/traffic-sessions.js';
import { Baseline, NetworkSample } from './baseline.js';
import { DaySlices, inOrder } from './day-slices.js';
import type { TrafficSession } from './traffic.js';

describe('the baseline', () => {
  const sample = (...networks: TrafficSession[][]) => {
    const into: TrafficSession[] = [];
    for (const network of networks) new NetworkSample(new DaySlices(inOrder(network))).addTo(into, DAY, DAY + 6);
    return into;
  };

  it('shrinks the bounce rate of a class to that of the channel', () => {
    // 40 sessions, half of them bounce; the ten mobile ones all do.
    const baseline = new Baseline(
      visits(40, (index) => ({ uaClass: index < 10 ? 'mobile' : 'desktop', distinctPaths: index < 20 ? 1 : 2 })),
    );
    expect(baseline.bounceRate('google_ads', 'mobile')).toBeCloseTo((10 + 20 * 0.5) / 30, 12);
    expect(baseline.bounceRate('google_ads', 'desktop')).toBeCloseTo((10 + 20 * 0.5) / 50, 12);
    expect(baseline.bounceRate('google_ads', 'in_app')).toBe(0.5);
  });

  it('takes .6 for channels under 30 sessions', () => {
    expect(NO_BASELINE.bounceRate('meta_ads', 'mobile')).toBe(0.6);
    const small = new Baseline(visits(29, () => ({ distinctPaths: 2 })));
    expect(small.bounceRate('google_ads', 'desktop')).toBeCloseTo((20 * 0.6) / 49, 12);
    const enough = new Baseline(visits(30, () => ({ distinctPaths: 2 })));
    expect(enough.bounceRate('google_ads', 'desktop')).toBe(0);
  });

  it('has a conversion rate over paid sessions, .002 at least, and none where nobody converts', () => {
    const paid = visits(50, (index) => ({ conversions: index < 5 ? 1 : 0 }));
    const unpaid = visits(50, () => ({ standing: 'unpaid', conversions: 1 }), { name: 'unpaid' });
    expect(new Baseline([...paid, ...unpaid]).conversionRate).toBe(0.1);
    expect(new Baseline(unpaid).conversionRate).toBe(0.002);
    expect(new Baseline(visits(50)).conversionRate).toBeUndefined();
  });

  it('gives every hour half a visit', () => {
    expect(NO_BASELINE.nightShare('google_ads', 'desktop')).toBeCloseTo(5 / 24, 12);
    const nights = new Baseline(visits(12, () => ({ hour: 5 })));
    expect(nights.nightShare('google_ads', 'desktop')).toBeCloseTo(14.5 / 24, 12);
  });

  it('takes at most 20 sessions of a network, whatever their order or time', () => {
    const busy = visits(100, (index) => ({ hour: index % 24 }));
    const twenty = sample(busy);
    expect(twenty).toHaveLength(20);
    expect(new Set(sample([...busy].reverse()))).toEqual(new Set(twenty));
    expect(twenty.some(({ startedAt }) => startedAt > NOON + 50 * 420_000)).toBe(true);
    expect(
      sample(
        visits(20),
        visits(7, () => ({ net: '198.19.0.0/24' })),
      ),
    ).toHaveLength(27);
  });

  it('leaves out networks of machines and declared bots', () => {
    for (const networkType of ['hosting', 'vpn', 'tor', 'search_engine', 'reserved'] as const)
      expect(sample(visits(30, () => ({ networkType })))).toEqual([]);
    expect(sample(visits(30, (index) => ({ uaClass: index < 25 ? 'bot' : 'desktop' })))).toHaveLength(5);
    expect(sample([session({ networkType: 'relay' })])).toHaveLength(1);
  });
});
