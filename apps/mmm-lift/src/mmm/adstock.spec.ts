import { describe, expect, it } from '@jest/globals';
import { adstock, spendBefore } from './adstock.js';

const ONCE = { alpha: 0.5, delayed: false, peak: 0 };
const NOTHING = { weeks: new Float64Array(), steady: 0 };

describe('adstock', () => {
  it('carries a part over, and all of it in the end', () => {
    const pulse = Float64Array.of(8, 0, 0, 0);
    expect(adstock(pulse, NOTHING, ONCE)).toEqual(Float64Array.of(4, 2, 1, 0.5));
    expect(adstock(pulse, NOTHING, { alpha: 0, delayed: false, peak: 0 })).toEqual(pulse);
  });

  it('comes later when delayed', () => {
    const pulse = Float64Array.of(16, 0, 0, 0);
    expect(adstock(pulse, NOTHING, { alpha: 0.5, delayed: true, peak: 0 })).toEqual(Float64Array.of(4, 4, 3, 2));
  });

  it('works most after some weeks when it has a peak', () => {
    const pulse = Float64Array.of(1, 0, 0, 0, 0);
    const peaked = adstock(pulse, NOTHING, { alpha: 0.5, delayed: false, peak: 2 });
    const weights = [1 / 16, 1 / 2, 1, 1 / 2, 1 / 16];
    peaked.forEach((value, t) => {
      expect(value / peaked[2]!).toBeCloseTo(weights[t]!, 12);
    });
    expect(peaked.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 2);
  });

  it('with a peak knows the weeks before, or its steady state', () => {
    const peaked = { alpha: 0.4, delayed: false, peak: 1 };
    const spend = Float64Array.of(3, 3, 3);
    for (const value of adstock(spend, spendBefore(spend, []), peaked)) expect(value).toBeCloseTo(3, 12);
    const late = adstock(Float64Array.of(0, 0), { weeks: Float64Array.of(5, 8), steady: 0 }, peaked);
    const whole = adstock(Float64Array.of(5, 8, 0, 0), NOTHING, peaked);
    expect(late).toEqual(whole.slice(2));
  });

  it.each([false, true])('goes on in its steady state (delayed: %p)', (delayed) => {
    const spend = Float64Array.of(3, 3, 3, 3, 3);
    const carried = adstock(spend, spendBefore(spend, []), { alpha: 0.75, delayed, peak: 0 });
    for (const value of carried) expect(value).toBeCloseTo(3, 12);
  });
});

describe('spend before the window', () => {
  it('is the last 26 weeks known', () => {
    const before = spendBefore(
      Float64Array.of(1),
      Array.from({ length: 30 }, (_, t) => t),
    );
    expect(before.weeks).toEqual(Float64Array.from({ length: 26 }, (_, t) => t + 4));
    expect(adstock(Float64Array.of(0), { weeks: Float64Array.of(8), steady: 0 }, ONCE)).toEqual(Float64Array.of(2));
  });

  it('is otherwise the mean of weeks 1 to 4, or nothing if the first has none', () => {
    expect(spendBefore(Float64Array.of(2, 4, 0, 6, 100), []).steady).toBe(3);
    expect(spendBefore(Float64Array.of(0, 4, 0, 6, 100), []).steady).toBe(0);
    expect(spendBefore(Float64Array.of(2, 4, 0, 6, 100), [0]).steady).toBe(0);
  });
});
