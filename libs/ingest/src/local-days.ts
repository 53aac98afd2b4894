const QUARTER_HOUR_US = 15 * 60_000_000;
const DAY_MS = 86_400_000;

/**
 * The local days of one time zone as days since 1970. A quarter of an hour of UTC lies within one local day: all offsets
 * since 1972 are multiples of 15 minutes, and clocks change on such borders.
 */
export class LocalDays {
  private readonly known = new Map<number, number>();
  private readonly format: Intl.DateTimeFormat;

  constructor(timezone: string) {
    // Kept: making one takes a hundred times as long as using it.
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
  }

  /** @param us microseconds since 1970 */
  at(us: number): number {
    const quarter = Math.floor(us / QUARTER_HOUR_US);
    let day = this.known.get(quarter);
    if (day === undefined) {
      day = this.dayOf(new Date((quarter * QUARTER_HOUR_US) / 1000));
      this.known.set(quarter, day);
    }
    return day;
  }

  private dayOf(at: Date): number {
    const parts = new Map(this.format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 0) - 1, parts.get('day')) / DAY_MS;
  }
}

const zones = new Map<string, LocalDays>();

/** Shared by the whole process. */
export function localDaysOf(timezone: string): LocalDays {
  let days = zones.get(timezone);
  if (days === undefined) zones.set(timezone, (days = new LocalDays(timezone)));
  return days;
}
