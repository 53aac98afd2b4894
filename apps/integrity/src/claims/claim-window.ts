import { dayNumber } from '#contracts/calendar-day.js';
import { localDaysOf } from '#ingest/local-days.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * First and last second of the local days from `first` to `last`, RFC 3339 in UTC.
 *
 * @param first `YYYY-MM-DD`
 */
export function claimWindow(first: string, last: string, timezone: string): { from: string; to: string } {
  return {
    from: instant(firstInstant(dayNumber(first), timezone)),
    to: instant(firstInstant(dayNumber(last) + 1, timezone) - 1000),
  };
}

/** The first instant of a local day, or of the next that exists: the first quarter of an hour with that date or a later one. */
function firstInstant(day: number, timezone: string): number {
  const days = localDaysOf(timezone);
  let at = day * DAY_MS - 15 * HOUR_MS;
  while (days.at(at * 1000) < day) at += QUARTER_HOUR_MS;
  return at;
}

function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
