import { dayNumber, dayText } from '#contracts/calendar-day.js';

export function addDays(day: string, days: number): string {
  return dayText(dayNumber(day) + days);
}

/** All days from the first to the last, both included; none if the last comes first. */
export function daysFromTo(first: string, last: string): string[] {
  const from = dayNumber(first);
  return Array.from({ length: Math.max(0, dayNumber(last) - from + 1) }, (_, index) => dayText(from + index));
}

/** The name of the Monday-to-Sunday week that a day falls into: the Sunday on or after it. */
export function sundayOf(day: string): string {
  const number = dayNumber(day);
  return dayText(number + 6 - mod7(number + 3));
}

/** The Sunday of the last week that is over on a day: on a Sunday its own week is not. */
export function lastWeekBefore(today: string): string {
  return addDays(sundayOf(today), -7);
}

/** Sundays from the first to the last, without a gap. */
export function sundaysFromTo(first: string, last: string): string[] {
  const from = dayNumber(first);
  return Array.from({ length: Math.max(0, weeksBetween(first, last) + 1) }, (_, index) => dayText(from + 7 * index));
}

/** Weeks from one Sunday to another; negative if the other is earlier. */
export function weeksBetween(first: string, last: string): number {
  return (dayNumber(last) - dayNumber(first)) / 7;
}

/** 1970-01-01 was a Thursday: day + 3 counts from a Monday. */
function mod7(days: number): number {
  return ((days % 7) + 7) % 7;
}
