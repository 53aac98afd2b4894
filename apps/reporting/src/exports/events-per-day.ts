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

/** Instants with about so many events between one and the next, as if those of a day were spread evenly over it. */
export function instantsApart(events: number, days: readonly EventsOfDay[], timezone: string): number[] {
  const instants: number[] = [];
  let before = 0;
  for (const { day, events: ofDay } of days) {
    const { from, until } = localDayRange(day, timezone);
    for (let next = (instants.length + 1) * events; next <= before + ofDay; next += events)
      instants.push(Math.round(from + ((until - from) * (next - before)) / ofDay));
    before += ofDay;
  }
  return instants;
}
