import { describe, expect, it } from '@jest/globals';
import { NO_BASELINE, NOON, session, visits, windowOf } from '../../../../../test/fixtures/traffic-sessions.js';
import { Baseline } from '../baseline.js';
import { clockLocked } from './clock-locked.js';
import { SILENT } from './finding.js';
import { nightFlat } from './night-flat.js';
import { regularInterval } from './regular-interval.js';

describe('regular_interval', () => {
  const everyOther = (gaps: number, long: number, short: number) => {
    let at = NOON;
    return Array.from({ length: gaps + 1 }, (_, index) => {
      const one = session({ key: `${index}`, startedAt: at });
      at += index % 2 === 0 ? long : short;
      return one;
    });
  };

  it('is how far the variation of gaps stays under .65', () => {
    expect(regularInterval(windowOf(everyOther(12, 1_425_000, 575_000)), NO_BASELINE)).toEqual({
      score: expect.closeTo(0.5, 12),
      observed: '0.42',
      limit: '0.65',
      sentence: 'visits arrive every 1000 s ± 43%',
    });
    expect(regularInterval(windowOf(everyOther(12, 600_000, 600_000)), NO_BASELINE)).toMatchObject({
      score: 1,
      sentence: 'visits arrive every 600 s ± 0%',
    });
    expect(regularInterval(windowOf(everyOther(12, 1_800_000, 200_000)), NO_BASELINE)).toEqual(SILENT);
  });

  it('says nothing under twelve gaps, nor when all start at once', () => {
    expect(regularInterval(windowOf(everyOther(11, 600_000, 600_000)), NO_BASELINE)).toEqual(SILENT);
    expect(regularInterval(windowOf(everyOther(20, 0, 0)), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('night_flat', () => {
  const nights = (n: number, count: number, hour = 3) => visits(n, (index) => ({ hour: index < count ? hour : 14 }));

  it('is z of the visits from 1 to 5 h over 2.5', () => {
    // Even hours: 5/24 of 20 = 4.167; z = 7.833/√3.549 = 4.158.
    expect(nightFlat(windowOf(nights(20, 12)), NO_BASELINE)).toEqual({
      score: expect.closeTo(0.414579, 6),
      observed: '60.0%',
      limit: '20.8%',
      sentence: '60% of visits between 01 and 06 h (usual 21%)',
    });
    expect(nightFlat(windowOf(nights(20, 12, 0)), NO_BASELINE)).toEqual(SILENT);
    expect(nightFlat(windowOf(nights(20, 12, 6)), NO_BASELINE)).toEqual(SILENT);
  });

  it('says nothing under 20 visits', () => {
    expect(nightFlat(windowOf(nights(19, 19)), NO_BASELINE)).toEqual(SILENT);
  });

  it('goes by the hours of channel and class, each hour with half a visit more', () => {
    // 88 visits by day: (0 + 2.5)/(88 + 12) = 2.5%.
    const byDay = new Baseline(visits(88, () => ({ hour: 12 })));
    expect(nightFlat(windowOf(nights(20, 4)), byDay)).toMatchObject({ observed: '20.0%', limit: '2.5%' });
    expect(nightFlat(windowOf(nights(20, 4)), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('clock_locked', () => {
  const at = (n: number, secondOf: (index: number) => number) =>
    visits(n, (index) => ({ startedAt: NOON + index * 420_000 + secondOf(index) * 1_000 }));

  it('is how far the seconds of the minute agree over .3', () => {
    expect(clockLocked(windowOf(at(40, (index) => (index % 2) * 15)), NO_BASELINE)).toEqual({
      score: expect.closeTo((Math.SQRT1_2 - 0.3) / 0.5, 12),
      observed: '0.71',
      limit: '0.30',
      sentence: '50% of visits start in one second of the minute',
    });
    // nR² is 10 for 20 of them: e^−10 is not impossible among many networks.
    expect(clockLocked(windowOf(at(20, (index) => (index % 2) * 15)), NO_BASELINE).score).toBeCloseTo(
      ((Math.SQRT1_2 - 0.3) / 0.5) * (4 / 6),
      12,
    );
    expect(clockLocked(windowOf(at(20, () => 7)), NO_BASELINE).score).toBe(1);
    expect(clockLocked(windowOf(at(20, (index) => index * 3)), NO_BASELINE)).toEqual(SILENT);
  });

  it('says nothing under 20 visits, nor where the clock of the asset knows minutes only', () => {
    expect(clockLocked(windowOf(at(19, () => 7)), NO_BASELINE)).toEqual(SILENT);
    expect(clockLocked(windowOf(at(20, () => 0)), new Baseline(at(100, () => 0)))).toEqual(SILENT);
  });
});
