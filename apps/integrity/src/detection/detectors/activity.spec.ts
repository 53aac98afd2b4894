import { describe, expect, it } from '@jest/globals';
import { DAY, NO_BASELINE, NOON, session, visits, windowOf } from '../../../../../test/fixtures/traffic-sessions.js';
import type { NetworkType } from '../../networks/network-types.js';
import { Baseline } from '../baseline.js';
import { burst } from './burst.js';
import { clickFlood } from './click-flood.js';
import { SILENT } from './finding.js';
import { paidOnly } from './paid-only.js';
import { repeatClick } from './repeat-click.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** One session with so many clicks, a second apart. */
function clicks(count: number, networkType: NetworkType = 'isp') {
  return session({ networkType, landingHits: Array.from({ length: count }, (_, index) => NOON + index * 1_000) });
}

describe('click_flood', () => {
  it.each<[NetworkType, number, number]>([
    ['isp', 8, 0],
    ['isp', 17, 0.5],
    ['isp', 35, 1],
    ['isp', 100, 1],
    ['hosting', 17, 0.5],
    ['business', 25, 0],
    ['business', 51, 0.5],
    ['education', 51, 0.5],
    ['mobile', 40, 0],
    ['mobile', 81, 0.5],
  ])('of %p with %p clicks in an hour is %p', (networkType, count, score) => {
    expect(clickFlood(windowOf([clicks(count, networkType)]), NO_BASELINE).score).toBeCloseTo(score, 12);
  });

  it('counts landing hits of all sessions of one host in a sliding hour, its end not included', () => {
    const spread = visits(18, (index) => ({ startedAt: NOON + index * 3.6 * MINUTE }));
    expect(clickFlood(windowOf(spread), NO_BASELINE)).toEqual({
      score: 0.5,
      observed: '17',
      limit: '8',
      sentence: '17 paid clicks from one address in one hour (limit 8)',
    });
    const apart = [...Array(9).keys()].map((index) =>
      session({ key: `${index}`, startedAt: NOON + index * (HOUR / 8) }),
    );
    expect(clickFlood(windowOf(apart), NO_BASELINE)).toEqual(SILENT);
  });

  it('adds up neither hosts nor unpaid visits', () => {
    const hosts = visits(16, (index) => ({ host: `198.18.0.${index % 2}` }), { everyMinutes: 1 });
    expect(clickFlood(windowOf(hosts), NO_BASELINE)).toEqual(SILENT);
    expect(clickFlood(windowOf([{ ...clicks(50), standing: 'unpaid' }]), NO_BASELINE)).toEqual(SILENT);
    expect(clickFlood(windowOf([{ ...clicks(50), standing: 'unmatched' }]), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('repeat_click', () => {
  it.each<[NetworkType, number, number]>([
    ['isp', 6, 0],
    ['isp', 13, 0.5],
    ['isp', 27, 1],
    ['business', 40, 0],
    ['business', 81, 0.5],
    ['mobile', 60, 0],
    ['mobile', 121, 0.5],
  ])('of %p with %p clicks a day is %p', (networkType, count, score) => {
    expect(repeatClick(windowOf([clicks(count, networkType)]), NO_BASELINE).score).toBeCloseTo(score, 12);
  });

  it('counts on the local day of the click, not of its session', () => {
    const startedAt = (DAY + 1) * 24 * HOUR - 7 * MINUTE;
    const landingHits = Array.from({ length: 14 }, (_, index) => startedAt + index * MINUTE);
    expect(repeatClick(windowOf([session({ startedAt, landingHits })]), NO_BASELINE).observed).toBe('7');
    // The same in a zone five hours behind: it is all one day there.
    const west = session({ startedAt, landingHits, hour: 18 });
    expect(repeatClick(windowOf([west]), NO_BASELINE)).toEqual({
      score: expect.closeTo(Math.log2(15 / 7) / 2, 12),
      observed: '14',
      limit: '6',
      sentence: '14 paid clicks a day from one address and browser (limit 6)',
    });
  });

  it('keeps browsers and systems of one address apart', () => {
    const sessions = visits(12, (index) => ({ browser: index % 2 === 0 ? 'Chrome' : 'Firefox' }), { everyMinutes: 1 });
    expect(repeatClick(windowOf(sessions), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('burst', () => {
  const inside = (count: number) => visits(count, (index) => ({ startedAt: NOON + index * 10_000 }));
  const outside = (count: number) =>
    visits(count, (index) => ({ startedAt: NOON + (index + 1) * 2 * HOUR }), { name: 'later' });

  it('is the share in the densest 20 minutes over .3', () => {
    const { score, ...reason } = burst(windowOf([...inside(30), ...outside(30)]), NO_BASELINE);
    expect(score).toBeCloseTo(0.5, 12);
    expect(reason).toEqual({ observed: '50.0%', limit: '0.0%', sentence: '50% of visits inside 5 minutes' });
    expect(burst(windowOf(inside(50)), NO_BASELINE).score).toBe(1);
  });

  it('says nothing under 50 paid sessions', () => {
    expect(burst(windowOf(inside(49)), NO_BASELINE)).toEqual(SILENT);
  });

  it('takes off what the rest of the asset has in the same minutes, but not what the entity has', () => {
    const others = visits(10, (index) => ({
      net: '198.19.0.0/24',
      startedAt: NOON + (index === 0 ? 1 : index * 5 * HOUR),
    }));
    const own = visits(90, () => ({ startedAt: NOON }));
    const { score, limit } = burst(windowOf([...inside(30), ...outside(30)]), new Baseline([...others, ...own]));
    expect(score).toBeCloseTo(0.25, 12);
    expect(limit).toBe('10.0%');
  });
});

describe('paid_only', () => {
  it.each([
    [7, 7, 0],
    [8, 8, 0.065685],
    [16, 16, 0.3],
    [100, 85, 0.45],
    [100, 70, 0],
    [60, 60, 1],
  ])('of %p visits with %p paid is %p', (n, paid, score) => {
    const sessions = visits(n, (index) => ({ standing: index < paid ? 'paid' : 'unpaid' }));
    expect(paidOnly(windowOf(sessions), NO_BASELINE).score).toBeCloseTo(score, 6);
  });

  it('fades where all people come by paid clicks', () => {
    const asset = (paid: number) =>
      new Baseline(visits(100, (index) => ({ standing: index < paid ? 'paid' : 'unpaid' })));
    const sixty = windowOf(visits(60));
    expect(paidOnly(sixty, asset(90))).toMatchObject({
      score: expect.closeTo(1, 12),
      sentence: 'every visit was a paid click',
    });
    expect(paidOnly(sixty, asset(95)).score).toBeCloseTo(0.5, 12);
    expect(paidOnly(sixty, asset(100))).toEqual(SILENT);
  });
});
