import { describe, expect, it } from '@jest/globals';
import { localDay } from '#contracts/local-day.js';
import { localDaysOf } from './local-days.js';
import { date } from './sql.js';

const ZONES = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'America/Asuncion',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
];
const QUARTER_MS = 15 * 60_000;

describe('localDaysOf', () => {
  it.each(ZONES)('gives the day of the calendar in %s, a microsecond before and at the borders of quarters', (zone) => {
    const days = localDaysOf(zone);
    // Primes: every quarter of the day and every season comes up.
    for (let number = 0; number < 300; number++) {
      const at = Date.UTC(2017, 0, 1) + number * 1_153 * QUARTER_MS;
      expect(date(days.at(at * 1000))).toBe(localDay(zone, new Date(at)));
      expect(date(days.at(at * 1000 - 1))).toBe(localDay(zone, new Date(at - 1)));
    }
  });
});
