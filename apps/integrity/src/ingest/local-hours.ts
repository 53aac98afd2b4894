const QUARTER_HOUR_US = 15 * 60_000_000;

/** The local hours of one time zone. A quarter of an hour of UTC lies within one local hour, see `LocalDays`. */
export class LocalHours {
  private readonly known = new Map<number, number>();
  private readonly format: Intl.DateTimeFormat;

  constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, hour: 'numeric', hourCycle: 'h23' });
  }

  /** @param us microseconds since 1970 @returns 0 to 23 */
  at(us: number): number {
    const quarter = Math.floor(us / QUARTER_HOUR_US);
    let hour = this.known.get(quarter);
    if (hour === undefined) {
      hour = Number(this.format.format(new Date((quarter * QUARTER_HOUR_US) / 1000)));
      this.known.set(quarter, hour);
    }
    return hour;
  }
}
