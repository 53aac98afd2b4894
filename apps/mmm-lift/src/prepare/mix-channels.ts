import { byText } from './amount.js';
import { addDays, sundaysFromTo } from './calendar.js';
import type { CostWeek } from './cost-weeks.js';
import type { CostChannel } from './merge-channels.js';
import type { SpendChannel } from './pool-channels.js';

/** A channel with its spend, in millionths, by week of the window and of those before it. */
export type WindowChannel = SpendChannel & Pick<CostChannel, 'weekly'>;

/** Spend so long before the window still carries over into it. */
export const BURN_IN_WEEKS = 26;

/** The weeks before the window that costs are known of, 26 at most: from the first of them with a cost row. */
export function burnInWeeks(first: string, costs: readonly CostWeek[]): string[] {
  const [earliest] = costs.map(({ weekEnd }) => weekEnd).sort(byText);
  return earliest === undefined ? [] : sundaysFromTo(earliest, addDays(first, -7)).slice(-BURN_IN_WEEKS);
}

/** Channels with spend in a week whose outcome is known: of the others nothing can be said. */
export function channelsInWindow(
  merged: readonly CostChannel[],
  { weeks, before, known }: { weeks: readonly string[]; before: readonly string[]; known: readonly boolean[] },
): WindowChannel[] {
  return merged
    .map(({ slug, name, family, weekly, spend }) => {
      const of = (week: string): bigint => spend.get(week) ?? 0n;
      return { slug, name, family, weekly, spend: weeks.map(of), before: before.map(of) };
    })
    .filter(({ spend }) => spend.some((amount, week) => amount > 0n && known[week] === true));
}
