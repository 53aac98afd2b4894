import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findingsOf, NO_BASELINE, visits, windowOf } from '../../../../test/fixtures/traffic-sessions.js';
import { categoriesOf, combinedScore, evidenceOf, humanFactor, ivtClassOf, reasonsOf, scoresOf } from './combine.js';
import { DETECTORS } from './traffic.js';

describe('combining scores', () => {
  it('is the chance that one of independent pieces of evidence holds', () => {
    expect(combinedScore(findingsOf({}))).toBe(0);
    expect(combinedScore(findingsOf({ hosting_network: 1 }))).toBeCloseTo(0.45, 12);
    // 1 − (1 − .45)(1 − .75·.5)
    expect(combinedScore(findingsOf({ hosting_network: 1, click_flood: 0.5 }))).toBeCloseTo(0.65625, 12);
  });

  it.each([
    [0, 20, 1],
    [5, 20, 0.6],
    [10, 20, 0.4],
    [20, 20, 0.4],
  ])('is lowered by people: %p of %p make it %p', (humans, n, factor) => {
    expect(humanFactor(humans, n)).toBeCloseTo(factor, 6);
  });

  it('takes no crawler for a person, however long it crawls', () => {
    const crawl = visits(20, () => ({ uaClass: 'bot', browser: 'Googlebot', distinctPaths: 12, events: 12 }));
    const long = crawl.map((one) => ({ ...one, endedAt: one.startedAt + 600_000 }));
    expect(evidenceOf(windowOf(long), NO_BASELINE).p).toBeGreaterThan(0.9);
    const people = long.map((one) => ({ ...one, uaClass: 'desktop' as const }));
    expect(evidenceOf(windowOf(people), NO_BASELINE).p).toBeLessThan(0.4);
  });

  it('shares the score out among the reasons, strongest first', () => {
    const reasons = reasonsOf(findingsOf({ hosting_network: 1, click_flood: 0.5, geo_conflict: 0 }));
    const whole = Math.log(0.55) + Math.log(0.625);
    expect(reasons.map(({ code, contribution }) => [code, contribution])).toEqual([
      ['hosting_network', expect.closeTo(Math.log(0.55) / whole, 12)],
      ['click_flood', expect.closeTo(Math.log(0.625) / whole, 12)],
    ]);
  });

  it('adds the contributions up to 1 whatever was found', () => {
    const scores = fc.record(
      Object.fromEntries(DETECTORS.map((code) => [code, fc.double({ min: 0, max: 1, noNaN: true })])),
    );
    fc.assert(
      fc.property(scores, (found) => {
        const reasons = reasonsOf(findingsOf(found));
        const sum = reasons.reduce((total, { contribution }) => total + contribution, 0);
        expect(reasons.length === 0 ? 1 : sum).toBeCloseTo(1, 9);
        const p = combinedScore(findingsOf(found));
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('counts categories with a score of .5; paid clicks and new ids are none by themselves outside data centres', () => {
    const categories = (scores: Parameters<typeof findingsOf>[0], p = 0.7) =>
      categoriesOf({ findings: findingsOf(scores), p });
    expect(categories({ click_flood: 0.5, repeat_click: 1, night_flat: 0.49 })).toEqual(new Set(['activity']));
    expect(categories({ paid_only: 1, geo_conflict: 0.5 })).toEqual(new Set(['identity']));
    expect(categories({ paid_only: 1, id_churn: 1 }, 0.79)).toEqual(new Set());
    expect(categories({ paid_only: 1, id_churn: 1 }, 0.8)).toEqual(new Set(['identity']));
    expect(categories({ paid_only: 1, id_churn: 1, hosting_network: 0.6 })).toEqual(
      new Set(['lists', 'activity', 'identity']),
    );
  });

  it('has a class: lists and routine checks are GIVT, all else SIVT', () => {
    expect(ivtClassOf(findingsOf({ declared_bot: 0.7, no_engagement: 1 }))).toBe('GIVT');
    expect(ivtClassOf(findingsOf({ declared_bot: 0.69, no_engagement: 1 }))).toBe('SIVT');
    expect(ivtClassOf(findingsOf({ hosting_network: 1, click_flood: 0.5, no_engagement: 0.49 }))).toBe('GIVT');
    expect(ivtClassOf(findingsOf({ burst: 0.5, paid_only: 1 }))).toBe('GIVT');
    expect(ivtClassOf(findingsOf({ paid_only: 1 }))).toBe('SIVT');
    expect(ivtClassOf(findingsOf({}))).toBe('SIVT');
  });

  it('gives all sixteen scores, and leaves out detectors on request', () => {
    const window = windowOf(visits(20, () => ({ networkType: 'hosting' })));
    expect(Object.keys(scoresOf(evidenceOf(window, NO_BASELINE).findings))).toEqual([...DETECTORS]);
    const without = evidenceOf(window, NO_BASELINE, new Set(['hosting_network']));
    expect(scoresOf(without.findings).hosting_network).toBe(0);
  });
});
