import { weekday } from './calendar.js';
import type { Random } from './random.js';

/** Visits by hour of the day: a small peak at noon, a large one in the evening, hardly anybody at four. */
const WORKING_DAY = [5, 3, 2, 1, 1, 2, 6, 12, 16, 18, 20, 23, 27, 24, 21, 21, 23, 26, 31, 38, 44, 42, 29, 14];
const WEEKEND = [9, 6, 3, 2, 1, 1, 3, 7, 14, 24, 32, 36, 35, 33, 32, 32, 31, 30, 31, 34, 37, 34, 24, 13];

/** The part of a day, 0 to 1, after which somebody comes; on days of 23 and 25 hours the clock is a little off. */
export function timeOfDay(random: Random, day: number): number {
  const hours = weekday(day) < 5 ? WORKING_DAY : WEEKEND;
  const [hour] = random.weighted([...hours.entries()], ([, weight]) => weight);
  return (hour + random.unit()) / 24;
}
