import { AppError } from '#contracts/errors.js';
import { localDay } from '#contracts/local-day.js';
import { invalidParameter } from '#runtime/query.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 366;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2100;
/** Behind the name of what is no day. */
export const DAY_FORM = `must be a date YYYY-MM-DD of the years ${FIRST_YEAR} to ${LAST_YEAR}`;

/** Days in the time zone of an asset, both inclusive, `YYYY-MM-DD`. */
export interface DateRange {
  from: string;
  to: string;
}

/**
 * What can be said against `from` and `to` before the asset is known.
 *
 * @throws AppError `invalid_parameter` naming the one that is no real date of 1970 to 2100, or lies behind the other ·
 *   `range_too_large`
 */
export function checkDates({ from, to }: Partial<DateRange>): void {
  const wrong = Object.entries({ from, to }).filter(([, day]) => day !== undefined && !isDay(day));
  if (wrong.length > 0) {
    throw invalidParameter(wrong.map(([name]) => ({ name, reason: DAY_FORM })));
  }
  if (from !== undefined && to !== undefined) checkOrder({ from, to });
}

/**
 * The range that is meant. Without both: the last 30 complete days; without `to`: until yesterday; without `from`: the 30
 * days that end with `to`.
 *
 * @throws AppError as `checkDates` does
 */
export function dateRange(given: Partial<DateRange>, timezone: string, now: Date): DateRange {
  checkDates(given);
  const to = given.to ?? daysAfter(localDay(timezone, now), -1);
  const range = { from: given.from ?? daysAfter(to, 1 - DEFAULT_DAYS), to };
  checkOrder(range);
  return range;
}

function checkOrder({ from, to }: DateRange): void {
  if (from > to) throw invalidParameter([{ name: 'from', reason: `must not be later than \`to\`, ${to}` }]);
  if (daysBetween(from, to) >= MOST_DAYS)
    throw new AppError('range_too_large', `The range ${from}..${to} has more than ${MOST_DAYS} days.`);
}

/** A real date `YYYY-MM-DD` of the years 1970 to 2100. */
export function isDay(text: string): boolean {
  const time = timeOf(text);
  if (Number.isNaN(time) || dayOf(time) !== text) return false;
  const year = Number(text.slice(0, 4));
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}

export function daysAfter(day: string, days: number): string {
  return dayOf(timeOf(day) + days * DAY_MS);
}

/** How many days later `to` is. */
export function daysBetween(from: string, to: string): number {
  return (timeOf(to) - timeOf(from)) / DAY_MS;
}

function timeOf(day: string): number {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
