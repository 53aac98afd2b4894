import { dayNumber, dayText } from '#contracts/calendar-day.js';
import { weekNumber } from './calendar.js';
import { paidChannel } from './channels.js';
import { PLACES } from './places.js';
import { Random } from './random.js';

const SPEND = 23;
const EVERY_WEEKS = 17;
const WEEKS = 3;
const COUNTRY = 'DE';

/**
 * A lift test: every 17 weeks, for three weeks, one country sees more advertising of one channel, in a campaign of its
 * own. Before each lie 14 weeks without one.
 */
export const EXPERIMENT = {
  channel: paidChannel('Meta Ads'),
  campaign: 'Germany test',
  country: COUNTRY,
  places: PLACES.filter(({ country }) => country === COUNTRY),
  days: WEEKS * 7,
  /** In the shop's currency. */
  dailySpend: 78,
  /** New people a day. */
  visitors: 27,
} as const;

/** New people whom it brings on a day, on average. */
export function experimentVisitors(day: number): number {
  return isExperimentDay(day) ? EXPERIMENT.visitors : 0;
}

/** What its campaign costs on a day. */
export function experimentSpend(seed: number, day: number): number {
  if (!isExperimentDay(day)) return 0;
  return EXPERIMENT.dailySpend * (1 + 0.05 * new Random(seed, SPEND, day).normal());
}

/**
 * The newest one that ended before a day, both ends inclusive.
 *
 * @param before `YYYY-MM-DD`
 */
export function newestExperiment(before: string): { from: string; to: string } {
  let to = dayNumber(before) - 1;
  while (!isExperimentDay(to) || isExperimentDay(to + 1)) to--;
  return { from: dayText(to - EXPERIMENT.days + 1), to: dayText(to) };
}

function isExperimentDay(day: number): boolean {
  return weekNumber(day) % EVERY_WEEKS < WEEKS;
}
