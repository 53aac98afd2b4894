import { describe, expect, it } from '@jest/globals';
import { quantile } from './quantile.js';

describe('quantile', () => {
  it('interpolates linearly at position (length - 1)·p', () => {
    expect(quantile([1, 2, 4], 0)).toBe(1);
    expect(quantile([1, 2, 4], 0.25)).toBe(1.5);
    expect(quantile([1, 2, 4], 0.9)).toBeCloseTo(3.6, 12);
    expect(quantile([1, 2, 4], 1)).toBe(4);
    expect(quantile([7], 0.3)).toBe(7);
  });

  it('refuses to make a value of nothing', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});
