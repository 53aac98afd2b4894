import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  clamp,
  densestSpan,
  entropyBits,
  meanVectorLength,
  mostFrequent,
  variation,
  wilsonLowerBound,
} from './statistics.js';

describe('statistics', () => {
  it.each([
    [8, 10, 0.649078],
    [5, 20, 0.166667],
    [4, 10, 0.261102],
    [10, 10, 0.909091],
    [0, 10, 0],
    [0, 0, 0],
  ])('the Wilson lower bound of %p in %p is %p', (hits, trials, bound) => {
    expect(wilsonLowerBound(hits, trials)).toBeCloseTo(bound, 6);
  });

  it('keeps the Wilson bound under the share and inside 0 to 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (trials, part) => {
        const hits = Math.floor(trials * part);
        const bound = wilsonLowerBound(hits, trials);
        expect(bound).toBeGreaterThanOrEqual(0);
        expect(bound).toBeLessThanOrEqual(hits / trials + 1e-12);
      }),
    );
  });

  it('clamps into 0 to 1', () => {
    expect([-2, 0, 0.25, 1, 7].map(clamp)).toEqual([0, 0, 0.25, 1, 1]);
  });

  it('measures entropy in bits', () => {
    expect(entropyBits([1, 1, 1, 1])).toBe(2);
    expect(entropyBits([7])).toBe(0);
    expect(entropyBits([])).toBe(0);
    expect(entropyBits([8, 1, 1, 0])).toBeCloseTo(0.921928, 6);
  });

  it('measures variation against the mean, and none without a mean', () => {
    expect(variation([575, 1425, 575, 1425])).toEqual({ mean: 1000, cv: 0.425 });
    expect(variation([0, 0, 0])).toBeUndefined();
    expect(variation([])).toBeUndefined();
  });

  it('measures how far points on a circle agree', () => {
    expect(meanVectorLength([5, 65, 125], (at) => at, 60)).toBeCloseTo(1, 12);
    expect(meanVectorLength([0, 30], (at) => at, 60)).toBeCloseTo(0, 12);
    expect(meanVectorLength([0, 15], (at) => at, 60)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(meanVectorLength([], () => 0, 60)).toBe(0);
  });

  it('finds the densest span, its end not included', () => {
    expect(densestSpan([0, 5, 9, 10, 11], 10)).toEqual({ count: 4, first: 1 });
    expect(densestSpan([0, 10], 10)).toEqual({ count: 1, first: 0 });
    expect(densestSpan([], 10)).toEqual({ count: 0, first: 0 });
  });

  it('takes the first of equally frequent names', () => {
    expect(mostFrequent(new Map([['b', 2], ['a', 2], ['c', 1]]))).toEqual({ key: 'a', count: 2 }); // prettier-ignore
    expect(mostFrequent(new Map())).toBeUndefined();
  });
});
