import { describe, expect, it } from '@jest/globals';
import { type AppError } from '#contracts/errors.js';
import { checkDates, dateRange } from './date-range.js';

/** 31 January in Berlin, 30 January in Los Angeles, 31 January in UTC. */
const NOW = new Date('2026-01-31T01:30:00Z');

function codeOf(work: () => unknown): [string, unknown] {
  try {
    return ['no error', work()];
  } catch (error) {
    const { code, extensions } = error as AppError;
    return [code, (extensions['errors'] as { name: string }[] | undefined)?.map(({ name }) => name)];
  }
}

describe('dateRange', () => {
  it.each([
    ['Europe/Berlin', '2026-01-01', '2026-01-30'],
    ['America/Los_Angeles', '2025-12-31', '2026-01-29'],
    ['Pacific/Kiritimati', '2026-01-01', '2026-01-30'],
    ['Pacific/Pago_Pago', '2025-12-31', '2026-01-29'],
  ])('is by default the last 30 complete days in %s', (timezone, from, to) => {
    expect(dateRange({}, timezone, NOW)).toEqual({ from, to });
  });

  it('fills in the one that is not given', () => {
    expect(dateRange({ from: '2026-01-10' }, 'UTC', NOW)).toEqual({ from: '2026-01-10', to: '2026-01-30' });
    expect(dateRange({ to: '2024-03-15' }, 'UTC', NOW)).toEqual({ from: '2024-02-15', to: '2024-03-15' });
  });

  it.each([
    ['2024-02-29', '2024-02-29'],
    ['2099-12-31', '2100-12-31'],
    ['1970-01-01', '1970-12-31'],
    ['2023-01-01', '2024-01-01'],
    ['2024-01-01', '2024-12-31'],
  ])('takes %s to %s, also in the future and of 366 days', (from, to) => {
    expect(dateRange({ from, to }, 'UTC', NOW)).toEqual({ from, to });
  });

  it.each([
    [{ from: '2023-02-29', to: '2023-03-01' }, ['from']],
    [{ from: '2026-13-01' }, ['from']],
    [{ to: '2026-00-10' }, ['to']],
    [{ from: '1969-12-31' }, ['from']],
    [{ to: '2101-01-01' }, ['to']],
    [{ from: '2026-1-1', to: '20260101' }, ['from', 'to']],
    [{ from: '' }, ['from']],
    [{ from: '2026-01-02', to: '2026-01-01' }, ['from']],
    [{ from: '2026-01-31' }, ['from']],
  ])('refuses %j and names what is wrong', (given, names) => {
    expect(codeOf(() => dateRange(given, 'UTC', NOW))).toEqual(['invalid_parameter', names]);
  });

  it.each([{ from: '2023-01-01', to: '2024-01-02' }, { from: '2025-01-29' }])('refuses 367 days: %j', (given) => {
    expect(codeOf(() => dateRange(given, 'UTC', NOW))).toEqual(['range_too_large', undefined]);
  });
});

describe('checkDates', () => {
  it('says of both dates what needs no time zone', () => {
    expect(
      codeOf(() => {
        checkDates({});
      }),
    ).toEqual(['no error', undefined]);
    expect(
      codeOf(() => {
        checkDates({ from: '2999-01-01' });
      }),
    ).toEqual(['invalid_parameter', ['from']]);
    expect(
      codeOf(() => {
        checkDates({ from: '2025-01-01', to: '2026-06-01' });
      }),
    ).toEqual(['range_too_large', undefined]);
    expect(
      codeOf(() => {
        checkDates({ from: '2026-01-02', to: '2026-01-01' });
      }),
    ).toEqual(['invalid_parameter', ['from']]);
  });
});
