import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseInstant } from './instant.js';

const two = (number: number): string => String(number).padStart(2, '0');

/** Days since 1970 by the rules of the calendar, counted and not computed by Date. */
function daysSince1970(year: number, month: number, day: number): bigint {
  const isLeap = (one: number): boolean => (one % 4 === 0 && one % 100 !== 0) || one % 400 === 0;
  let days = 0;
  for (let one = 1970; one < year; one++) days += isLeap(one) ? 366 : 365;
  for (let one = year; one < 1970; one++) days -= isLeap(one) ? 366 : 365;
  const months = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  for (let one = 1; one < month; one++) days += months[one - 1] ?? 0;
  return BigInt(days + day - 1);
}

const written = fc.record({
  year: fc.integer({ min: 1900, max: 2100 }),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 28 }),
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  second: fc.integer({ min: 0, max: 59 }),
  fraction: fc.array(fc.nat(9), { maxLength: 12 }).map((digits) => digits.join('')),
  offset: fc.oneof(fc.constant(undefined), fc.integer({ min: -1439, max: 1439 })),
  separator: fc.constantFrom('T', 't'),
  zulu: fc.constantFrom('Z', 'z'),
});

type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

function textOf({ year, month, day, hour, minute, second, fraction, offset, separator, zulu }: Written): string {
  const zone =
    offset === undefined
      ? zulu
      : `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${year}-${two(month)}-${two(day)}${separator}${two(hour)}:${two(minute)}:${two(second)}${fraction === '' ? '' : `.${fraction}`}${zone}`;
}

function expected({ year, month, day, hour, minute, second, fraction, offset = 0 }: Written): bigint {
  const seconds =
    daysSince1970(year, month, day) * 86_400n + BigInt(hour * 3600 + minute * 60 + second) - BigInt(offset * 60);
  return seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

describe('parseInstant', () => {
  it('gives the exact microsecond of every time of RFC 3339', () => {
    fc.assert(
      fc.property(written, (time) => {
        const instant = parseInstant(textOf(time)) ?? NaN;
        expect(Number.isSafeInteger(instant)).toBe(true);
        expect(BigInt(instant)).toBe(expected(time));
      }),
      { numRuns: 2000 },
    );
  });

  it('knows every day of the calendar and no other', () => {
    for (let year = 1900; year <= 2100; year++) {
      for (let month = 1; month <= 12; month++) {
        const last = Number(daysSince1970(year, month + 1, 1) - daysSince1970(year, month, 1));
        const at = (day: number): number | undefined => parseInstant(`${year}-${two(month)}-${two(day)}T00:00:00Z`);
        expect(at(0)).toBeUndefined();
        expect(at(last)).toBe(Number(daysSince1970(year, month, last)) * 86_400_000_000);
        expect(at(last + 1)).toBeUndefined();
      }
    }
  });

  it('takes exactly the form of RFC 3339, whatever character is changed, added or left out', () => {
    const form =
      /^(?:19\d\d|20\d\d|2100)-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
    const isRealDay = (text: string): boolean => {
      const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
      return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10));
    };
    const edited = fc
      .record({ time: written, at: fc.nat(40), kept: fc.nat(2), put: fc.string({ maxLength: 2 }) })
      .map(({ time, at, kept, put }) => {
        const text = textOf(time);
        return text.slice(0, at) + put + text.slice(at + kept);
      });
    fc.assert(
      fc.property(edited, (text) => {
        // Leap seconds have a test of their own.
        fc.pre(!text.includes(':60'));
        expect([text, parseInstant(text) !== undefined]).toEqual([text, form.test(text) && isRealDay(text)]);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes a leap second for the first second of the next day, at the end of a month in UTC only', () => {
    const next = Date.UTC(2017, 0, 1) * 1000;
    expect(parseInstant('2016-12-31T23:59:60Z')).toBe(next);
    expect(parseInstant('2016-12-31T23:59:60.25Z')).toBe(next + 250_000);
    expect(parseInstant('2017-01-01T00:59:60+01:00')).toBe(next);
    expect(parseInstant('2016-12-31T15:59:60-08:00')).toBe(next);
    for (const none of ['2016-12-31T23:59:61Z', '2016-12-31T22:59:60Z', '2016-12-30T23:59:60Z', '2016-12-31T23:58:60Z'])
      expect(parseInstant(none)).toBeUndefined();
  });

  it.each([
    '',
    '2026-01-31',
    '2026-01-31T09:30Z',
    '2026-01-31T09:30:00',
    '2026-01-31 09:30:00Z',
    '2026-01-31T09:30:00,5Z',
    '2026-01-31T09:30:00.Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:30:00+0100',
    '2026-01-31T09:30:00+24:00',
    '20260131T093000Z',
    '+2026-01-31T09:30:00Z',
    ' 2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00Z\n',
    '２026-01-31T09:30:00Z',
    '1899-12-31T23:59:59Z',
    '2101-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '1706693400000',
  ])('does not take %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
