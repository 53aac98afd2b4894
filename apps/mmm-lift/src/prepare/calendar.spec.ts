import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addDays, daysFromTo, lastWeekBefore, sundayOf, sundaysFromTo } from './calendar.js';

describe('weeks', () => {
  it.each([
    ['2026-03-02', '2026-03-08'],
    ['2026-03-08', '2026-03-08'],
    ['2026-03-09', '2026-03-15'],
    ['2027-12-31', '2028-01-02'],
    ['1969-12-28', '1969-12-28'],
    ['1969-12-29', '1970-01-04'],
  ])('%s falls into the one of %s', (day, sunday) => {
    expect(sundayOf(day)).toBe(sunday);
  });

  it('run from Monday to Sunday', () => {
    fc.assert(
      fc.property(fc.integer({ min: -40_000, max: 40_000 }), (number) => {
        const day = addDays('2000-01-01', number);
        expect(new Date(sundayOf(day)).getUTCDay()).toBe(0);
        expect(daysFromTo(addDays(sundayOf(day), -6), sundayOf(day))).toContain(day);
      }),
    );
  });

  it('are over after their Sunday', () => {
    expect(lastWeekBefore('2026-03-08')).toBe('2026-03-01');
    expect(lastWeekBefore('2026-03-09')).toBe('2026-03-08');
  });

  it('are listed without a gap', () => {
    expect(sundaysFromTo('2026-02-22', '2026-03-08')).toEqual(['2026-02-22', '2026-03-01', '2026-03-08']);
    expect(sundaysFromTo('2026-03-08', '2026-03-01')).toEqual([]);
    expect(daysFromTo('2026-02-28', '2026-03-01')).toEqual(['2026-02-28', '2026-03-01']);
    expect(daysFromTo('2026-03-01', '2026-02-28')).toEqual([]);
  });
});
