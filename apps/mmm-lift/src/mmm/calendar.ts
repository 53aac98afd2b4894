import { dayNumber, dayText } from '#contracts/calendar-day.js';

/** Where in the year a week lies, in weeks: (day of the year of its Sunday − 1)/7. */
export function positionInYear(sunday: string): number {
  return (dayNumber(sunday) - dayNumber(`${sunday.slice(0, 4)}-01-01`)) / 7;
}

/** The Monday of the week that ends on a Sunday. */
export function mondayOf(sunday: string): string {
  return dayText(dayNumber(sunday) - 6);
}
