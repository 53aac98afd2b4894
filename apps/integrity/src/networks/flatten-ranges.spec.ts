import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BIG_INTEGERS, flattenRanges, NUMBERS } from './flatten-ranges.js';

describe('flattenRanges', () => {
  it('cuts a hole for a narrower range and joins neighbours of one value', () => {
    const ranges = [
      { start: 0, end: 99, value: 'wide' },
      { start: 10, end: 19, value: 'narrow' },
      { start: 100, end: 109, value: 'wide' },
      { start: 15, end: 15, value: 'one' },
    ];
    expect(flattenRanges(ranges, NUMBERS)).toEqual([
      { start: 0, end: 9, value: 'wide' },
      { start: 10, end: 14, value: 'narrow' },
      { start: 15, end: 15, value: 'one' },
      { start: 16, end: 19, value: 'narrow' },
      { start: 20, end: 109, value: 'wide' },
    ]);
  });

  it('gives every number the value of the narrowest range around it, of several the first', () => {
    const range = fc
      .tuple(fc.nat(60), fc.nat(60), fc.nat(4))
      .map(([a, b, value]) => ({ start: Math.min(a, b), end: Math.max(a, b), value }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
        const flat = flattenRanges(ranges, NUMBERS);
        for (let number = 0; number <= 60; number++) {
          const around = ranges.filter(({ start, end }) => start <= number && number <= end);
          const narrowest = Math.min(...around.map(({ start, end }) => end - start));
          const [expected] = around
            .filter(({ start, end }) => end - start === narrowest)
            .sort((a, b) => a.start - b.start)
            .map(({ value }) => value);
          const found = flat.filter(({ start, end }) => start <= number && number <= end);
          expect(found.map(({ value }) => value)).toEqual(expected === undefined ? [] : [expected]);
        }
        expect(flat).toEqual([...flat].sort((a, b) => a.start - b.start));
        const big = ranges.map(({ start, end, value }) => ({ start: BigInt(start), end: BigInt(end), value }));
        expect(
          flattenRanges(big, BIG_INTEGERS).map(({ start, end, value }) => [Number(start), Number(end), value]),
        ).toEqual(flat.map(({ start, end, value }) => [start, end, value]));
      }),
      { numRuns: 1_000 },
    );
  });
});
