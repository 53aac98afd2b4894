import { AppError } from '#contracts/errors.js';
import { localDay } from '#contracts/local-day.js';
import { daysAfter, daysBetween } from '../exports/date-range.js';
import { BodyMembers } from '../uploads/body-members.js';
import { date } from '../uploads/member-values.js';
import { seed, target } from './modeling-values.js';

const MEMBERS = ['target', 'from', 'to', 'seed'] as const;
const MOST_WEEKS = 260;

/** What is to be fitted. */
export interface RunRequest {
  target: string;
  /** A Monday; null: from the first complete week, of at most 260. */
  from: string | null;
  /** A Sunday; null: until the last complete week. */
  to: string | null;
  seed: number;
}

/**
 * Reads `{target, from?, to?, seed?}`; null is an absent member. Dates widen to whole weeks, Monday to Sunday.
 *
 * @param timezone of the asset: without `to` the range ends with its last complete week
 * @throws AppError `invalid_json` · `invalid_parameter` naming each member that is wrong · `range_too_large` for more
 *   than 260 weeks
 */
export function readRunRequest(body: string, timezone: string, now: Date): RunRequest {
  const members = new BodyMembers(body, MEMBERS);
  const read = {
    target: members.required('target', target),
    from: members.optional('from', date),
    to: members.optional('to', date),
    seed: members.optional('seed', seed) ?? 1,
  };
  if (read.from !== undefined && read.to !== undefined && read.from > read.to)
    members.refuse('from', `must not be later than \`to\`, ${read.to}`);
  members.check();
  const from = read.from === undefined ? null : mondayOf(read.from);
  const to = read.to === undefined ? null : sundayOf(read.to);
  if (from !== null) checkLength(from, to ?? lastCompleteWeek(timezone, now));
  return { target: read.target ?? '', from, to, seed: read.seed };
}

function checkLength(from: string, to: string): void {
  if (daysBetween(from, to) >= MOST_WEEKS * 7)
    throw new AppError('range_too_large', `The range ${from}..${to} has more than ${MOST_WEEKS} weeks.`);
}

/** The newest Sunday before today. */
function lastCompleteWeek(timezone: string, now: Date): string {
  return daysAfter(mondayOf(localDay(timezone, now)), -1);
}

function mondayOf(day: string): string {
  return daysAfter(day, -weekday(day));
}

function sundayOf(day: string): string {
  return daysAfter(day, 6 - weekday(day));
}

/** From 0 for Monday. */
function weekday(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}
