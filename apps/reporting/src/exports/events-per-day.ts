import type { ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { KIND } from '../ingest/dimension-ids.js';
import { localDayRange } from './local-range.js';
import { READ_VERSION } from './read-version.js';

export interface EventsOfDay {
  day: string;
  events: number;
}

/** By the rollups, oldest first. */
export async function eventsPerDay(snapshot: ExportSnapshot, request: ExportRequest): Promise<EventsOfDay[]> {
  const { from, to } = request.parameters;
  const days = await snapshot.query<{ day: string; events: string }>(
    `SELECT day::text, events FROM reporting.rollup_day
      WHERE asset_id = $1 AND version = ${READ_VERSION} AND kind = ${KIND.all} AND day BETWEEN $2 AND $3
      ORDER BY day`,
    [request.assetId, from, to],
  );
  return days.map(({ day, events }) => ({ day, events: Number(events) }));
}

export function totalOf(days: readonly EventsOfDay[]): number {
  return days.reduce((total, { events }) => total + events, 0);
}

/** About the instant before which half of the events lie, as if those of a day were spread evenly over it. */
export function middleOf(days: readonly EventsOfDay[], timezone: string): number {
  let before = 0;
  const half = totalOf(days) / 2;
  for (const { day, events } of days) {
    if (before + events >= half) {
      const { from, until } = localDayRange(day, timezone);
      return Math.round(from + ((until - from) * (half - before)) / Math.max(events, 1));
    }
    before += events;
  }
  throw new Error('There is no middle of no days.');
}
