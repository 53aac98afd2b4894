import { expect, it } from '@jest/globals';
import { addScaled, dot } from './dot.js';

it('multiplies rows of any length at any place', () => {
  const a = Float64Array.from({ length: 20 }, (_, i) => i);
  for (let n = 0; n <= 10; n += 1) {
    let expected = 0;
    for (let i = 0; i < n; i += 1) expected += (3 + i) * (7 + i);
    expect(dot(a, 3, a, 7, n)).toBe(expected);
  }
});

it('adds a multiple of a row', () => {
  const y = Float64Array.of(1, 1, 1);
  addScaled(y, 2, Float64Array.of(9, 1, 2, 3), 1, 2);
  expect(y).toEqual(Float64Array.of(3, 5, 1));
});
