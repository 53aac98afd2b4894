import { describe, expect, it } from '@jest/globals';
import { NO_BASELINE, NOON, visits, windowOf } from '../../../../../test/fixtures/traffic-sessions.js';
import { Baseline } from '../baseline.js';
import { conversionVoid } from './conversion-void.js';
import { SILENT } from './finding.js';
import { noEngagement } from './no-engagement.js';
import { pathTemplate } from './path-template.js';

describe('no_engagement', () => {
  it('is z over 2 times the share over the usual one', () => {
    // p0 = .6: z = (10 − 6)/√2.65 = 2.457; (z − 2)/4 = .1143, and the share is .4 over the usual one.
    expect(noEngagement(windowOf(visits(10)), NO_BASELINE)).toEqual({
      score: expect.closeTo(0.114295, 6),
      observed: '100.0%',
      limit: '60.0%',
      sentence: '100.0% of paid visits had no engagement (usual 60.0%)',
    });
    expect(noEngagement(windowOf(visits(20)), NO_BASELINE).score).toBeCloseTo(0.389988, 6);
  });

  it('says nothing under five paid visits, nor of engaged ones', () => {
    expect(noEngagement(windowOf(visits(4)), NO_BASELINE)).toEqual(SILENT);
    expect(noEngagement(windowOf(visits(50, () => ({ standing: 'unpaid' }))), NO_BASELINE)).toEqual(SILENT);
    expect(noEngagement(windowOf(visits(50, () => ({ distinctPaths: 2 }))), NO_BASELINE)).toEqual(SILENT);
    const scrolls = visits(50, (index) => ({ otherEvents: 1, endedAt: NOON + index * 420_000 + 10_000 }));
    expect(noEngagement(windowOf(scrolls), NO_BASELINE)).toEqual(SILENT);
  });

  it('goes by what is usual for channel and class', () => {
    const bouncing = new Baseline(visits(100, (index) => ({ uaClass: 'in_app', distinctPaths: index < 5 ? 2 : 1 })));
    const inApp = windowOf(visits(40, () => ({ uaClass: 'in_app' })));
    expect(noEngagement(inApp, bouncing)).toEqual(SILENT);
    expect(noEngagement(inApp, NO_BASELINE).score).toBeGreaterThan(0.5);
  });
});

describe('conversion_void', () => {
  const converting = (sessions: number, conversions: number) =>
    new Baseline(visits(sessions, (index) => ({ conversions: index < conversions ? 1 : 0 })));

  it('is the chance that nobody converts, in powers of ten', () => {
    expect(conversionVoid(windowOf(visits(50)), converting(100, 5))).toEqual({
      score: expect.closeTo(0.445528, 6),
      observed: '0',
      limit: '2.50',
      sentence: 'no conversion in 50 paid visits, chance 7.7%',
    });
    expect(conversionVoid(windowOf(visits(312)), converting(100, 5)).sentence).toBe(
      'no conversion in 312 paid visits, chance under 0.1%',
    );
  });

  it('takes a rate of .002 at least', () => {
    expect(conversionVoid(windowOf(visits(100)), converting(1000, 1)).score).toBeCloseTo(0.034778, 6);
  });

  it('says nothing under ten paid visits, with a conversion, or where nobody converts', () => {
    expect(conversionVoid(windowOf(visits(9)), converting(10, 9))).toEqual(SILENT);
    const one = visits(50, (index) => ({ conversions: index === 0 ? 1 : 0 }));
    expect(conversionVoid(windowOf(one), converting(100, 5))).toEqual(SILENT);
    expect(conversionVoid(windowOf(visits(500)), converting(500, 0))).toEqual(SILENT);
    expect(conversionVoid(windowOf(visits(500)), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('path_template', () => {
  const walks = (count: number, odd: number) =>
    visits(count, (index) => ({ distinctPaths: 2, pathSignature: index < odd ? `walk ${index}` : 'walk' }));

  it('is how far the entropy of walks stays under .55', () => {
    // 8 + 1 + 1 of 10: .9219 bits of 3.3219.
    expect(pathTemplate(windowOf(walks(10, 2)), NO_BASELINE)).toEqual({
      score: expect.closeTo(0.68118, 5),
      observed: '0.28',
      limit: '0.55',
      sentence: '80% of visits follow one path at one pace',
    });
    expect(pathTemplate(windowOf(walks(10, 0)), NO_BASELINE).score).toBe(1);
    expect(pathTemplate(windowOf(walks(10, 10)), NO_BASELINE)).toEqual(SILENT);
  });

  it('looks at sessions of two paths only, ten at least', () => {
    expect(pathTemplate(windowOf(walks(9, 0)), NO_BASELINE)).toEqual(SILENT);
    expect(pathTemplate(windowOf([...walks(9, 0), ...visits(50)]), NO_BASELINE)).toEqual(SILENT);
  });

  it('tells paces apart in steps of four seconds', () => {
    const paced = (stepMs: number) =>
      walks(10, 0).map((one, index) => ({ ...one, endedAt: one.startedAt + index * stepMs }));
    expect(pathTemplate(windowOf(paced(400)), NO_BASELINE).score).toBe(1);
    expect(pathTemplate(windowOf(paced(4_000)), NO_BASELINE)).toEqual(SILENT);
  });
});
