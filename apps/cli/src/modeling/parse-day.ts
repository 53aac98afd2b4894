import { dayNumber, dayText } from '#contracts/calendar-day.js';

const DAY = /^((?:19[7-9]|20\d)\d|2100)-\d{2}-\d{2}(?=$|[Tt ])/;

/**
 * The calendar day of a text: `YYYY-MM-DD` of 1970 to 2100, or what begins with one and goes on with a time, whose date
 * is taken as written.
 *
 * @returns undefined when it is none
 */
export function parseDay(text: string): string | undefined {
  const day = DAY.exec(text)?.[0];
  if (day === undefined) return undefined;
  const number = dayNumber(day);
  return !Number.isNaN(number) && dayText(number) === day ? day : undefined;
}
