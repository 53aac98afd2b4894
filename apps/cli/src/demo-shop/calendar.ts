import { dayNumber, dayText } from '#contracts/calendar-day.js';
import { localDay } from '#contracts/local-day.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** No clock is further from UTC. */
const FURTHEST_MINUTES = 15 * 60;

export function dayBefore(day: string): string {
  return dayText(dayNumber(day) - 1);
}

/** 0 is Monday. */
export function weekday(day: number): number {
  return (day + 3) % 7;
}

/** Weeks since 1970; a week begins on Monday. */
export function weekNumber(day: number): number {
  return Math.floor((day + 3) / 7);
}

/** The part of the year that has passed, 0 to 1. */
export function yearPart(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS / 366;
}

/** Where the days of a time zone begin. */
export class LocalDays {
  private readonly starts = new Map<number, number>();

  /** @param timezone IANA name */
  constructor(private readonly timezone: string) {}

  /** Milliseconds since 1970; the first minute of the day where a daylight-saving change takes away its midnight. */
  start(day: number): number {
    let start = this.starts.get(day);
    if (start === undefined) this.starts.set(day, (start = this.findStart(day)));
    return start;
  }

  /** 23 or 25 hours where the clock changes. */
  lengthMs(day: number): number {
    return this.start(day + 1) - this.start(day);
  }

  private findStart(day: number): number {
    const text = dayText(day);
    const has = (minute: number): boolean =>
      localDay(this.timezone, new Date(day * DAY_MS + minute * MINUTE_MS)) >= text;
    let before = -FURTHEST_MINUTES;
    let from = FURTHEST_MINUTES;
    while (from - before > 1) {
      const middle = Math.floor((before + from) / 2);
      if (has(middle)) from = middle;
      else before = middle;
    }
    return day * DAY_MS + from * MINUTE_MS;
  }
}
