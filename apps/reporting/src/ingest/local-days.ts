import { localDay } from '#contracts/local-day.js';

const QUARTER_HOUR_US = 15 * 60_000_000;
const DAY_MS = 86_400_000;

/**
 * The local days of one time zone as days since 1970. A quarter of an hour of UTC lies within one local day: all offsets
 * since 1972 are multiples of 15 minutes, and clocks change on such borders.
 */
export class LocalDays {
  private readonly known = new Map<number, number>();

  constructor(private readonly timezone: string) {}

  /** @param us microseconds since 1970 */
  at(us: number): number {
    const quarter = Math.floor(us / QUARTER_HOUR_US);
    let day = this.known.get(quarter);
    if (day === undefined) {
      const date = localDay(this.timezone, new Date((quarter * QUARTER_HOUR_US) / 1000));
      day = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
      this.known.set(quarter, day);
    }
    return day;
  }
}

const zones = new Map<string, LocalDays>();

/** Shared by the whole process. */
export function localDaysOf(timezone: string): LocalDays {
  let days = zones.get(timezone);
  if (days === undefined) zones.set(timezone, (days = new LocalDays(timezone)));
  return days;
}
