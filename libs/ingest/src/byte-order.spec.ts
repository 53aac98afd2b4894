import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareBytes } from './byte-order.js';

describe('compareBytes', () => {
  it('puts texts into the order of their UTF-8 bytes', () => {
    const texts = ['b', 'a', '', 'aa', '～', '😀', '\uE000', 'é', '\u{10FFFF}', '\uD7FF'];
    const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect([...texts].sort(compareBytes)).toEqual([...texts].sort(bytes));
    expect(compareBytes('😀', '～')).toBeGreaterThan(0);
  });

  it('agrees with the bytes of any two texts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '～', '😀', '\uE000', '\u{1F601}'), maxLength: 5 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
