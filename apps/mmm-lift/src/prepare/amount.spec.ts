import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { signedMillionths } from '#contracts/costs/millionths.js';
import { numberOf } from './amount.js';

describe('amounts', () => {
  it.each([
    ['0.1', 0.1],
    ['-0.000001', -0.000001],
    ['123456789.123456', 123456789.123456],
    ['-12', -12],
    ['0.000000', 0],
  ])('%s is the double %d', (text, number) => {
    expect(numberOf(signedMillionths(text))).toBe(number);
  });

  it('are the nearest doubles', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9_000_000, max: 9_000_000 }),
        fc.integer({ min: 0, max: 999_999 }),
        (whole, part) => {
          const text = `${whole}.${String(part).padStart(6, '0')}`;
          expect(numberOf(signedMillionths(text))).toBe(Number(text) === 0 ? 0 : Number(text));
        },
      ),
    );
  });
});
