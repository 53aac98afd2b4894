const DAY_MS = 86_400_000;

/** The days since 1970 of a date `YYYY-MM-DD`. */
function dayNumber(date: string): number {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

/** Where in the year a week lies, in weeks: (day of the year of its Sunday − 1)/7. */
export function positionInYear(sunday: string): number {
  return (dayNumber(sunday) - dayNumber(`${sunday.slice(0, 4)}-01-01`)) / 7;
}

/** The Monday of the week that ends on a Sunday. */
export function mondayOf(sunday: string): string {
  return new Date((dayNumber(sunday) - 6) * DAY_MS).toISOString().slice(0, 10);
}
