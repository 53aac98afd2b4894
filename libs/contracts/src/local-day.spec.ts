import { expect, it } from '@jest/globals';
import { localDay } from './local-day.js';

it.each([
  ['UTC', '2026-01-31T23:59:59Z', '2026-01-31'],
  ['Pacific/Kiritimati', '2026-01-31T10:00:00Z', '2026-02-01'],
  ['America/Los_Angeles', '2026-01-01T07:59:59Z', '2025-12-31'],
  ['Europe/Berlin', '2026-03-29T22:30:00Z', '2026-03-30'],
])('in %s it is at %s the day %s', (timezone, at, day) => {
  expect(localDay(timezone, new Date(at))).toBe(day);
});
