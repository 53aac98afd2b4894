import type { Column } from '#csv/column.js';
import { keyValues, type KeyValue } from '#csv/write-key-values.js';
import { LIFT_COST_KEYS, LIFT_DAYS_LAYOUT } from '#contracts/layouts/lift-days.layout.js';
import {
  LIFT_SUMMARY_COST_KEYS,
  LIFT_SUMMARY_LAYOUT,
  type LiftSummary,
} from '#contracts/layouts/lift-summary.layout.js';
import type { LiftDay, LiftTest } from '#contracts/modeling/lift-test.js';

/** What the file of a test is made of. */
export type LiftFileContent = LiftSummary & Required<Pick<LiftTest, 'days'>>;

/** Whether what was spent on the test is known: only then the file has its cost columns. */
export function hasSpend({ spend_window }: Pick<LiftSummary, 'spend_window'>): boolean {
  return spend_window !== null;
}

/** The lines of the summary block. */
export function liftSummaryColumns(withCost: boolean): Column<LiftSummary>[] {
  return LIFT_SUMMARY_LAYOUT.filter(({ key }) => withCost || !LIFT_SUMMARY_COST_KEYS.includes(key));
}

/** The columns of the table. */
export function liftDayColumns(withCost: boolean): Column<LiftDay>[] {
  return LIFT_DAYS_LAYOUT.filter(({ key }) => withCost || !LIFT_COST_KEYS.includes(key));
}

/** The summary block: keys and values as they stand in the file. */
export function liftSummary(test: LiftSummary): KeyValue[] {
  return keyValues(liftSummaryColumns(hasSpend(test)), test);
}
