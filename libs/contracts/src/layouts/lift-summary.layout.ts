import type { Column } from '#csv/column.js';
import type { LiftTestItem } from '../modeling/lift-test.js';

/** Members of a test that tell of its way and not of its numbers. */
type TestState = 'channels' | 'created_at' | 'started_at' | 'finished_at' | 'requested_by' | 'error_code' | 'error';

/** What the summary block of a lift file says; the test of a plain file may have no id. */
export type LiftSummary = Omit<LiftTestItem, 'test_id' | TestState> & { test_id: string | null };

/** Of all numbers but counts and the p-value. */
const DECIMALS = 2;

type Plain = {
  [Key in keyof LiftSummary]: LiftSummary[Key] extends string | number | null ? Key : never;
}[keyof LiftSummary];

function column(key: Plain, type: Column<LiftSummary>['type']): Column<LiftSummary> {
  return { key, header: key, type, value: (test) => test[key] };
}

function decimal(key: Plain, decimals = DECIMALS): Column<LiftSummary> {
  return { ...column(key, 'decimal'), decimals };
}

/** The keys and values above the days of `lift-<8>.csv`, in order. Days may be row numbers of a plain file. */
export const LIFT_SUMMARY_LAYOUT: readonly Column<LiftSummary>[] = [
  { key: 'title', header: 'title', type: 'id', value: () => 'Lift test' },
  column('test_id', 'id'),
  column('name', 'text'),
  column('metric', 'text'),
  column('method', 'id'),
  column('status', 'id'),
  column('pre_from', 'id'),
  column('pre_to', 'id'),
  column('test_from', 'id'),
  column('test_to', 'id'),
  column('n_days', 'integer'),
  decimal('confidence_level'),
  decimal('observed_total'),
  decimal('counterfactual_total'),
  decimal('lift_total'),
  decimal('lift_lo'),
  decimal('lift_hi'),
  decimal('lift_pct'),
  decimal('p_value', 4),
  column('currency', 'text'),
  column('generated', 'timestamp'),
  column('trust_tier', 'id'),
  { key: 'treated', header: 'treated', type: 'text', value: (test) => test.treated?.join(';') },
  column('n_controls', 'integer'),
  column('tail_days', 'integer'),
  decimal('lift_pct_lo'),
  decimal('lift_pct_hi'),
  decimal('calibration_factor'),
  decimal('mde_pct'),
  decimal('organic_shift'),
  decimal('organic_shift_lo'),
  decimal('organic_shift_hi'),
  { key: 'warnings', header: 'warnings', type: 'text', value: (test) => test.warnings?.join(';') },
  column('seed', 'integer'),
  column('model_version', 'id'),
  decimal('incremental_roas_lo'),
  decimal('incremental_roas_hi'),
];

/** Only in the file of a test with spend, and not for members with the cost data restriction. */
export const LIFT_SUMMARY_COST_KEYS: readonly string[] = ['incremental_roas_lo', 'incremental_roas_hi'];
