import type { ExportRequest } from '#jobs/export-definition.js';
import { localDaysOf } from '../ingest/local-days.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Milliseconds since 1970. */
export interface InstantRange {
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  until: number;
}

/** The instants of a range of local days, by the same clock as the rollups. */
export function localRange({ parameters: { from, to, asset } }: ExportRequest): InstantRange {
  return { from: firstInstant(from, asset.timezone), until: firstInstant(dayAfter(to), asset.timezone) };
}

/**
 * The first instant of a local day, or of the next that exists. `AT TIME ZONE` would take the second of two midnights (Azores,
 * Havana); clocks change at quarters of an hour, within 15 hours of UTC.
 */
export function firstInstant(date: string, timezone: string): number {
  const days = localDaysOf(timezone);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  let instant = midnight - 15 * HOUR_MS;
  while (days.at(instant * 1000) < midnight / DAY_MS) instant += QUARTER_HOUR_MS;
  return instant;
}

export function dayAfter(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** RFC 3339, for queries. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString();
}
