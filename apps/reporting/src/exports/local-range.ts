import type { ExportRequest } from '#jobs/export-definition.js';
import { localDaysOf } from '#ingest/local-days.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** What PostgreSQL and RFC 3339 can write; no event lies near. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59Z');

/** Milliseconds since 1970. */
export interface InstantRange {
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  until: number;
}

/** The instants of a range of local days, by the same clock as the rollups. */
export function localRange({ parameters: { from, to, asset } }: ExportRequest): InstantRange {
  return { from: localDayRange(from, asset.timezone).from, until: localDayRange(to, asset.timezone).until };
}

/**
 * One local day.
 *
 * @param date `YYYY-MM-DD`
 */
export function localDayRange(date: string, timezone: string): InstantRange {
  const day = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  return { from: firstInstant(day, timezone), until: firstInstant(day + 1, timezone) };
}

/**
 * The first instant of a local day, or of the next that exists. `AT TIME ZONE` would take the second of two midnights
 * (Azores, Havana); clocks change at quarters of an hour, within 15 hours of UTC.
 *
 * @param day days since 1970
 */
function firstInstant(day: number, timezone: string): number {
  const days = localDaysOf(timezone);
  let instant = day * DAY_MS - 15 * HOUR_MS;
  while (days.at(instant * 1000) < day) instant += QUARTER_HOUR_MS;
  return Math.min(Math.max(instant, EARLIEST), LATEST);
}

/** RFC 3339, for queries. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString();
}
