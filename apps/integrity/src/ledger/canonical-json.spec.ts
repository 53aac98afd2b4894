import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { integrityData } from '../../../../test/support/integrity-data.js';
import { canonicalJson } from './canonical-json.js';

const published = integrityData('rfc8785-jcs-vectors.json');
if (published !== undefined) {
  const vectors = JSON.parse(published) as { name: string; input: string; output: string }[];

  describe('the six published vectors of RFC 8785', () => {
    it('are six', () => {
      expect(vectors).toHaveLength(6);
    });

    it.each(vectors)('$name', ({ input, output }) => {
      expect(canonicalJson(JSON.parse(input))).toBe(output);
    });
  });
}

describe('canonicalJson', () => {
  it('writes numbers as ECMAScript does, and no minus before zero', () => {
    expect(canonicalJson([-0, 1e21, 1e-7, 0.1 + 0.2, Number.MAX_SAFE_INTEGER])).toBe(
      '[0,1e+21,1e-7,0.30000000000000004,9007199254740991]',
    );
  });

  it('orders keys by code units, not by the numbers that they look like or by code points', () => {
    expect(canonicalJson({ 10: 1, 9: 2, '\u{1f600}': 3, '\ufb33': 4, __proto__x: 5 })).toBe(
      '{"10":1,"9":2,"__proto__x":5,"\u{1f600}":3,"\ufb33":4}',
    );
  });

  it.each([
    ['undefined', undefined],
    ['undefined of a member', { a: undefined }],
    ['a hole', new Array(1)],
    ['a function', { a: () => 1 }],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['a symbol as key', { [Symbol('s')]: 1 }],
    ['NaN', NaN],
    ['infinity', [Infinity]],
    ['a high surrogate alone', '\ud800'],
    ['a low surrogate alone', 'a\udc00b'],
    ['a lone surrogate in a key', { '\ud800': 1 }],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', Buffer.of(1)],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('says the same again of what it said', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
