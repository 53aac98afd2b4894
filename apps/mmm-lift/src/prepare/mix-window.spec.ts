import { describe, expect, it } from '@jest/globals';
import { addDays, sundaysFromTo } from './calendar.js';
import { mixWindow, weeksInCommon } from './mix-window.js';

const ALL = { from: null, to: null };
const LAST = '2026-12-27';

describe('mixWindow', () => {
  it('runs from the first to the last complete week with a target', () => {
    const weeks = ['2026-03-29', '2026-03-01', '2026-03-08', '2027-01-03'];
    expect(mixWindow(weeks, ALL, LAST)).toEqual(sundaysFromTo('2026-03-01', '2026-03-29'));
    expect(mixWindow(['2027-01-03'], ALL, LAST)).toEqual([]);
  });

  it('is limited by the days asked for, widened to whole weeks', () => {
    const weeks = sundaysFromTo('2026-01-04', '2026-03-29');
    expect(mixWindow(weeks, { from: '2026-02-05', to: '2026-02-16' }, LAST)).toEqual(
      sundaysFromTo('2026-02-08', '2026-02-22'),
    );
    expect(mixWindow(weeks, { from: '2026-03-24', to: '2030-01-01' }, LAST)).toEqual(['2026-03-29']);
    expect(mixWindow(weeks, { from: '2026-04-01', to: null }, LAST)).toEqual([]);
  });

  it('of more than 260 weeks is the latest of them, and begins with a target', () => {
    const weeks = sundaysFromTo(addDays(LAST, -7 * 299), LAST);
    expect(mixWindow(weeks, ALL, LAST)).toEqual(weeks.slice(40));
    expect(mixWindow([...weeks.slice(0, 38), ...weeks.slice(45)], ALL, LAST)).toEqual(weeks.slice(45));
  });
});

describe('weeksInCommon', () => {
  it('are those with an outcome between the first and the last with costs', () => {
    const weeks = sundaysFromTo('2026-01-04', '2026-02-01');
    const known = [true, true, false, true, true];
    expect(weeksInCommon(weeks, known, { first: '2020-01-01', last: '2030-01-01' })).toBe(4);
    expect(weeksInCommon(weeks, known, { first: '2026-01-05', last: '2026-01-19' })).toBe(2);
    expect(weeksInCommon(weeks, known, { first: '2027-01-05', last: '2027-01-19' })).toBe(0);
  });
});
