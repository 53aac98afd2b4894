import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLongerThan } from '#contracts/text.js';
import { parseAmount, parseCurrency, parseDate, parseText } from './cost-values.js';

describe('parseDate', () => {
  it('takes every real day of 1970 to 2100, plain or as RFC 3339, and no other', () => {
    for (let day = Date.UTC(1969, 11, 1); day < Date.UTC(2101, 1, 1); day += 86_400_000) {
      const date = new Date(day).toISOString().slice(0, 10);
      const expected = date >= '1970-01-01' && date <= '2100-12-31' ? date : undefined;
      expect([parseDate(date), parseDate(`${date}T23:59:59.9+05:30`)]).toEqual([expected, expected]);
    }
  });

  it.each([
    '2023-02-29',
    '2100-02-29',
    '2024-06-31',
    '2024-01-00',
    '2024-00-01',
    '2024-01-01T',
    '2024-01-01T10:00:00',
    '2024-01-01\n',
  ])('%j is none', (text) => {
    expect(parseDate(text)).toBeUndefined();
  });
});

describe('parseAmount', () => {
  it('gives back what a number was written from, with any one kind of separator', () => {
    const separators = fc.constantFrom('', ',', ' ', "'", '\u00A0', '\u202F', '\u2019');
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 999_999_999_999_999n }),
        fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), maxLength: 6 }),
        separators,
        fc.constantFrom('', '+'),
        (whole, fraction, separator, sign) => {
          const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, separator);
          const point = fraction === '' ? '' : `.${fraction}`;
          expect(parseAmount(sign + grouped + point)).toEqual({ kind: 'amount', digits: `${whole}${point}` });
        },
      ),
    );
  });

  it('never takes two kinds of separators', () => {
    const all = [',', ' ', "'", '\u00A0', '\u202F', '\u2019'];
    for (const one of all)
      for (const two of all) expect(parseAmount(`1${one}234${two}567`).kind).toBe(one === two ? 'amount' : 'invalid');
  });

  it('answers to any text, and takes only what is digits with separators', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from("019.,+- 'e\u00A0٣")), maxLength: 12 }), (text) => {
        const amount = parseAmount(text);
        if (amount.kind === 'amount') expect(amount.digits).toMatch(/^\d{1,15}(\.\d{1,6})?$/);
      }),
    );
  });
});

it('a currency is three Latin letters', () => {
  expect(['eur', 'EUR', 'EU', 'EURO', 'ÄÖÜ', 'E1R', ''].map(parseCurrency)).toEqual([
    'EUR',
    'EUR',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('text is trimmed, and loses one apostrophe before = + - @', () => {
  expect([' a ', "'=x", "''=x", "'x", "' =x", '\u00A0x\u00A0', "'@"].map(parseText)).toEqual([
    'a',
    '=x',
    "''=x",
    "'x",
    "' =x",
    'x',
    '@',
  ]);
});

it('length is counted in code points', () => {
  expect(
    ['x'.repeat(256), '😀'.repeat(256), 'x'.repeat(257), '😀'.repeat(257), `${'😀'.repeat(200)}${'x'.repeat(57)}`].map(
      (text) => isLongerThan(text, 256),
    ),
  ).toEqual([false, false, true, true, true]);
});
