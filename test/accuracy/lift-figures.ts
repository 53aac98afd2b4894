import type { LiftTest } from '#contracts/modeling/lift-test.js';
import { part, median, type Part } from './mix-figures.js';

/** A test beside what was planted, in units of the outcome and as a part of what would have been. */
export interface JudgedTest {
  test: LiftTest;
  truth: number;
  planted: number;
}

export function liftCoverage(tests: readonly JudgedTest[]): Part {
  return part(tests, ({ test, truth }) => liesWithin(truth, test.lift_lo, test.lift_hi));
}

/** Tests without any lift that look significant. */
export function falseAlarms(tests: readonly JudgedTest[]): Part {
  const nothing = tests.filter(({ planted }) => planted === 0);
  return part(nothing, ({ test }) => (test.p_value ?? 1) < 0.1);
}

/** Of the lift, in percentage points. */
export function medianLiftError(tests: readonly JudgedTest[]): number {
  return median(tests.map(({ test, planted }) => Math.abs((test.lift_pct ?? NaN) - 100 * planted)));
}

export function liesWithin(value: number, low: number | null, high: number | null): boolean {
  return low !== null && high !== null && low <= value && value <= high;
}
