import { hasSpend, liftDayColumns, liftSummary } from '#apps/mmm-lift/src/exports/lift-summary.js';
import type { FileLiftTest } from './file-run.js';
import { summaryText } from './summary-text.js';

/** What the file of a test says. */
export function liftText(test: FileLiftTest): string {
  return summaryText(liftSummary(test), liftDayColumns(hasSpend(test)), test.days);
}
