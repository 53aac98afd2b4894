import { sundayOf, sundaysFromTo, weeksBetween } from './calendar.js';

/** A longer window is its latest 260 weeks. */
const MAX_WEEKS = 260;

/**
 * The weeks to model: from the first to the last complete week with a target.
 *
 * @param targetWeeks Sundays of weeks with a target, in any order
 * @param asked the days of a request, widened to whole weeks here
 * @returns Sundays without a gap, oldest first; none when no complete week has a target
 */
export function mixWindow(
  targetWeeks: Iterable<string>,
  asked: { from: string | null; to: string | null },
  lastComplete: string,
): string[] {
  const from = asked.from === null ? '' : sundayOf(asked.from);
  const to = asked.to === null ? lastComplete : sundayOf(asked.to);
  const weeks = [...targetWeeks].filter((week) => week >= from && week <= to && week <= lastComplete).sort();
  const last = weeks.at(-1);
  if (last === undefined) return [];
  const first = weeks.find((week) => weeksBetween(week, last) < MAX_WEEKS) ?? last;
  return sundaysFromTo(first, last);
}

/**
 * How many weeks have both spend and outcome: those with an outcome between the first and the last week with costs. Weeks
 * without a cost row in between are weeks without spend.
 *
 * @param known whether the outcome of each week is known
 * @param span the days of the first and the last cost row
 */
export function weeksInCommon(
  weeks: readonly string[],
  known: readonly boolean[],
  span: { first: string; last: string },
): number {
  const first = sundayOf(span.first);
  const last = sundayOf(span.last);
  return weeks.filter((week, index) => known[index] === true && week >= first && week <= last).length;
}
