import type { LiftTest, LiftTestItem } from '#contracts/modeling/lift-test.js';
import type { MixRun } from '#contracts/modeling/mix-run.js';
import type { Membership } from '../access/access.service.js';

type Rights = Pick<Membership, 'restrictions'>;

/** What the files lose under the cost data restriction, and what would give it back. */
const OF_CHANNEL = ['spend', 'roi', 'roi_lo', 'roi_hi', 'mroi', 'mroi_lo', 'mroi_hi', 'cpa'] as const;
/** Responses at multiples of the spend, and returns of tested spend. */
const OF_RUN = ['curves', 'tests'] as const;
const OF_TEST = ['spend_window', 'incremental_roas', 'incremental_roas_lo', 'incremental_roas_hi', 'cpa'] as const;
const OF_DAY = ['spend_window', 'incremental_roas', 'cpa'] as const;

/** A run as the member may see it. */
export function mixRunFor(member: Rights, run: MixRun): Partial<MixRun> {
  if (mayHaveCost(member)) return run;
  const channels = run.channels.map((channel) => without(channel, OF_CHANNEL)) as MixRun['channels'];
  return without({ ...run, channels }, OF_RUN);
}

/** A test of a list as the member may see it. */
export function liftItemFor(member: Rights, item: LiftTestItem): Partial<LiftTestItem> {
  return mayHaveCost(member) ? item : without(item, OF_TEST);
}

/** A test as the member may see it. */
export function liftTestFor(member: Rights, test: LiftTest): Partial<LiftTest> {
  if (mayHaveCost(member)) return test;
  const request = without(test.request, ['spend']) as LiftTest['request'];
  const { days } = test;
  return without(
    {
      ...test,
      request,
      ...(days === undefined ? {} : { days: days.map((day) => without(day, OF_DAY)) as LiftTest['days'] & object }),
    },
    OF_TEST,
  );
}

function mayHaveCost({ restrictions }: Rights): boolean {
  return !restrictions.includes('cost_data');
}

function without<T extends object>(object: T, names: readonly (keyof T)[]): Partial<T> {
  const kept = Object.entries(object).filter(([name]) => !names.some((omitted) => omitted === name));
  return Object.fromEntries(kept) as Partial<T>;
}
