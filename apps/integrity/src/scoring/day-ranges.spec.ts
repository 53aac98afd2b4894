import { describe, expect, it } from '@jest/globals';
import { daysToAssess, daysToLoad } from './day-ranges.js';

describe('daysToAssess', () => {
  it.each([
    [[], 100, []],
    [[50], 100, [[44, 56]]],
    [[50], 52, [[44, 52]]],
    [[50, 50, 51], 100, [[44, 57]]],
    [
      [10, 60],
      100,
      [
        [4, 16],
        [54, 66],
      ],
    ],
    [
      [10, 29],
      100,
      [
        [4, 31],
        [32, 35],
      ],
    ],
  ])('of %p through %p is %p', (changed, through, ranges) => {
    expect(daysToAssess(changed, through).map(({ first, last }) => [first, last])).toEqual(ranges);
  });

  it('assesses each day of a long history once', () => {
    const days = daysToAssess(
      Array.from({ length: 91 }, (_, day) => 1000 + day),
      1090,
    ).flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, place) => first + place));
    expect(days).toEqual(Array.from({ length: 97 }, (_, day) => 994 + day));
  });
});

it('holds no more sessions in memory than fit', () => {
  const days = daysToAssess([50], 100, () => 30_000);
  expect(days.map(({ first, last }) => [first, last])).toEqual([
    [44, 47],
    [48, 51],
    [52, 55],
    [56, 56],
  ]);
  expect(daysToAssess([50], 100, () => 1e9)).toHaveLength(13);
});

it('loads the windows of a range whole', () => {
  expect(daysToLoad({ first: 44, last: 56 }, 100)).toEqual({ first: 38, last: 62 });
  expect(daysToLoad({ first: 44, last: 56 }, 58)).toEqual({ first: 38, last: 58 });
});
